// Formats numbers, money, bytes, durations and times, so that the same figure looks the same everywhere.

const counts = new Intl.NumberFormat("en-US");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const fractions = new Intl.NumberFormat("en-US", {
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 2,
});
const rates = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 });

export function count(value: number): string {
  return counts.format(value);
}

/** `48,210` up to five digits, then `1.24M`. */
export function tokens(value: number): string {
  return value < 100_000 ? counts.format(value) : short.format(value);
}

/** In dollars, the unit of the model prices. Small sums keep two significant digits. */
export function money(value: number): string {
  return `$${value !== 0 && Math.abs(value) < 0.01 ? fractions.format(value) : cents.format(value)}`;
}

/** A sum of costs of which some may not be known: an unknown cost is never zero. */
export function costText(sum: { readonly cost: number | null; readonly unpriced_calls: number }): string {
  if (sum.cost === null) return "unknown cost";
  return sum.unpriced_calls > 0 ? `at least ${money(sum.cost)}` : money(sum.cost);
}

/** Adds to the billionth, as the server does: binary fractions alone would drift. */
export function sumOfMoney(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 1e9), 0) / 1e9;
}

/** The price of a million tokens as it was set: $0.025 is not $0.03. */
export function priceText(value: number): string {
  return `$${rates.format(value)}`;
}

export function percent(share: number): string {
  const value = share * 100;
  return value > 0 && value < 1 ? "<1%" : `${Math.round(value)}%`;
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB"];
  const power = Math.min(Math.floor(Math.log2(value) / 10), units.length);
  return `${(value / 1024 ** power).toFixed(value < 10 * 1024 ** power ? 1 : 0)} ${units[power - 1]}`;
}

/** `41 ms`, `18.2 s`, `3 min 4 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** `10:42` today, `14 Nov` this year, `14 Nov 2025` before. */
export function moment(time: string, now = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return at.getFullYear() === now.getFullYear() ? day.format(at) : `${day.format(at)} ${at.getFullYear()}`;
}

export function exactTime(time: string): string {
  return full.format(new Date(time));
}

/** `12 minutes ago`. */
export function ago(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return "just now";
  const steps: [number, string][] = [
    [60, "minute"],
    [24, "hour"],
    [30, "day"],
    [12, "month"],
  ];
  let value = Math.floor(seconds / 60);
  for (const [size, name] of steps) {
    if (value < size) return `${value} ${name}${value === 1 ? "" : "s"} ago`;
    value = Math.floor(value / size);
  }
  return `${value} year${value === 1 ? "" : "s"} ago`;
}

/** `a41f…09c2`. */
export function shortHash(hash: string): string {
  return hash.length <= 12 ? hash : `${hash.slice(0, 4)}…${hash.slice(-4)}`;
}

/** Up to two letters for an avatar. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s_\-.]+/u)
    .filter(Boolean);
  const letters =
    words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 2);
  return letters.join("").toUpperCase();
}

const conjunction = new Intl.ListFormat("en", { type: "conjunction" });

/** `python, node, and bash`. */
export function list(words: readonly string[]): string {
  return conjunction.format(words);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${counts.format(value)} ${value === 1 ? one : many}`;
}
