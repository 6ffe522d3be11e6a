// Formats of the console: times, sizes, addresses.

/** Rows of one page of a list. */
export const PAGE_ROWS = 100;

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
const UNIT = 1024;

/** `2026-11-22 16:05 UTC` */
export function timeText(rfc3339: string): string {
  return `${rfc3339.slice(0, 10)} ${rfc3339.slice(11, 16)} UTC`;
}

export function sizeText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let value = bytes;
  let unit = 0;
  while (value >= UNIT && unit < UNITS.length - 1) {
    value /= UNIT;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 file`, `2 files`, `3 entries` */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`;
}

/** The address of a page of a space; `path` is a file or a folder, encoded segment by segment. */
export function spacePath(space: string, area = "", path = ""): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `/console/spaces/${encodeURIComponent(space)}${area}${path === "" ? "" : `/${encoded}`}`;
}

/** Adds the parameters that have a value. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  const text = params.toString();
  return text === "" ? path : `${path}?${text}`;
}
