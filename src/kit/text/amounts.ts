// Writes sizes, counts and times for people: on a terminal, in a page of the console, in an answer to an AI tool. The same amount looks the same
// everywhere. Knows no locale: the interface (web/kit/format.ts) has its own, since it writes for the locale and the time zone of its reader.

/** Bytes of a KiB, KiB of a MiB, and so on. */
export const UNIT = 1024;
/** Each is `UNIT` times the one before; the first is that many bytes. */
export const LARGE_UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** `512 B`, `1.5 KiB`: whole below 1 KiB and from 100 of a unit on, otherwise with one decimal. */
export function sizeText(bytes: number): string {
  return bytes < UNIT ? `${Math.round(bytes)} B` : inLargeUnits(bytes);
}

/** As `sizeText`, with `bytes` in full: `1 byte`, `512 bytes`, `1.5 KiB`. */
export function sizeInWords(bytes: number): string {
  return bytes < UNIT ? plural(Math.round(bytes), "byte") : inLargeUnits(bytes);
}

/** Rounds by hand, because `toFixed` takes 4 ms more of 50,000 files. */
function inLargeUnits(bytes: number): string {
  let value = bytes / UNIT;
  let power = 0;
  for (; value >= UNIT && power < LARGE_UNITS.length - 1; power += 1) value /= UNIT;
  if (value >= 100) return `${Math.round(value)} ${LARGE_UNITS[power]}`;
  const tenths = Math.round(value * 10);
  return `${Math.floor(tenths / 10)}.${tenths % 10} ${LARGE_UNITS[power]}`;
}

/** `file` of 1, `files` of any other count. */
export function nounFor(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** `1 file`, `2 files`, `3 entries`. */
export function plural(count: number, one: string, many?: string): string {
  return `${count} ${nounFor(count, one, many)}`;
}

/** `48,210` */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** As `plural`, with grouped digits: `48,210 files`. */
export function counted(count: number, one: string, many?: string): string {
  return `${countText(count)} ${nounFor(count, one, many)}`;
}

/** `2026-11-22 16:05`, in UTC, of a time in RFC 3339. */
export function minuteText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}
