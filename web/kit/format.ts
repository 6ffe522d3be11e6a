// Formats numbers, money, bytes, durations and times, so that the same figure looks the same everywhere: as the reader's locale writes them,
// in the reader's time zone. Words are those of the interface. The programs have src/kit/text/amounts.ts instead: they know no locale, and
// `web` imports types only.

import { onDemand } from "./on-demand.ts";

/** The reader's. */
const LOCALE = undefined;
/** The language of the interface. */
const WORDS = "en";

const counts = onDemand(() => new Intl.NumberFormat(LOCALE));
const short = onDemand(
  () => new Intl.NumberFormat(LOCALE, { notation: "compact", maximumSignificantDigits: 3 }),
);
const DOLLARS = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;
const cents = onDemand(() => new Intl.NumberFormat(LOCALE, DOLLARS));
const fractions = onDemand(
  () =>
    new Intl.NumberFormat(LOCALE, {
      ...DOLLARS,
      minimumSignificantDigits: 2,
      maximumSignificantDigits: 2,
    }),
);
const rates = onDemand(
  () =>
    new Intl.NumberFormat(LOCALE, {
      ...DOLLARS,
      minimumFractionDigits: 2,
      maximumFractionDigits: 4,
    }),
);
const shares = onDemand(() => new Intl.NumberFormat(LOCALE, { style: "percent" }));
const tenths = onDemand(
  () => new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);

export function count(value: number): string {
  return counts().format(value);
}

/** `48,210` up to five digits, then `1.24M`. */
export function tokens(value: number): string {
  return value < 100_000 ? counts().format(value) : short().format(value);
}

/** In dollars, the unit of the model prices. Small sums keep two significant digits. */
export function money(value: number): string {
  return (value !== 0 && Math.abs(value) < 0.01 ? fractions : cents)().format(value);
}

/** A sum of costs of which some may not be known: an unknown cost is never zero. */
export function costText(sum: { readonly cost: number | null; readonly unpriced_calls: number }): string {
  if (sum.cost === null) return "unknown cost";
  return sum.unpriced_calls > 0 ? `at least ${money(sum.cost)}` : money(sum.cost);
}

/** The price of a million tokens as it was set: $0.025 is not $0.03. */
export function priceText(value: number): string {
  return rates().format(value);
}

export function percent(share: number): string {
  return share > 0 && share < 0.01 ? `<${shares().format(0.01)}` : shares().format(share);
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB"];
  const power = Math.min(Math.floor(Math.log2(value) / 10), units.length);
  const scaled = value / 1024 ** power;
  return `${(scaled < 10 ? tenths : counts)().format(scaled < 10 ? scaled : Math.round(scaled))} ${units[power - 1]}`;
}

/** `41 ms`, `18.2 s`, `3 min 4 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${tenths().format(ms / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const clock = onDemand(() => new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" }));
const day = onDemand(() => new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" }));
const dayOfYear = onDemand(
  () => new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" }),
);
const utcDay = onDemand(
  () => new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", timeZone: "UTC" }),
);
const full = onDemand(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" }));

/** `10:42` today, `14 Nov` this year, `14 Nov 2025` before. */
export function moment(time: string, now = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return clock().format(at);
  return (at.getFullYear() === now.getFullYear() ? day : dayOfYear)().format(at);
}

/** A day in UTC, `2026-11-21`, as `21 Nov`. */
export function dayText(text: string): string {
  return utcDay().format(new Date(text));
}

export function exactTime(time: string): string {
  return full().format(new Date(time));
}

const ages = onDemand(() => new Intl.RelativeTimeFormat(WORDS));
const AGES: readonly (readonly [size: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
];

/** `12 minutes ago`. */
export function ago(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return "just now";
  let value = Math.floor(seconds / 60);
  for (const [size, unit] of AGES) {
    if (value < size) return ages().format(-value, unit);
    value = Math.floor(value / size);
  }
  return ages().format(-value, "year");
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

const conjunction = onDemand(() => new Intl.ListFormat(WORDS, { type: "conjunction" }));

/** `python, node, and bash`. */
export function list(words: readonly string[]): string {
  return conjunction().format(words);
}

/** With a capital at the start, for a title or for the start of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A reason of the server, which starts in lower case and has no full stop, as a sentence. Empty stays empty. */
export function sentence(reason: string): string {
  return reason === "" || /[.!?]$/.test(reason) ? capitalized(reason) : `${capitalized(reason)}.`;
}

/** Whether a text of the server begins in lower case with a word, which the page shows with a capital, and not with a name or a value. */
export function startsLower(text: string): boolean {
  return /^[a-z]+[ ,](?!\(|[^:]*[./][^:]*: )/.test(text);
}

const plurals = onDemand(() => new Intl.PluralRules(WORDS));

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${counts().format(value)} ${plurals().select(value) === "one" ? one : many}`;
}
