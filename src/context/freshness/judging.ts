// Judges one document by its front matter: when it becomes stale, and what in its fields cannot be read. Pure.

import { DAY_MS, rfc3339, rfc3339OrNull, timeOf } from "../../kit/clock.ts";
import type { Declaration } from "../versioned-store/engine.ts";
import type { FieldName, Freshness, FreshnessProblem } from "./schema.ts";

const WINDOW = /^([1-9][0-9]{0,3})([dwmy])$/;
const DATE = /^\d{4}-\d\d-\d\d/;
/** The last day that is written with four digits. */
const TIME_MAX = Date.UTC(9999, 11, 31);
const VALUE_CHARACTERS_MAX = 100;

/** Undefined: the document declares neither a window nor anything that cannot be read. */
export function judged({ path, fields, written }: Declaration, now: number): Freshness | undefined {
  const problems: FreshnessProblem[] = [];
  if (typeof fields === "string") problems.push({ field: null, code: fields, value: null });
  const read = <T>(field: FieldName, parse: (value: unknown) => T | undefined): T | null => {
    const value = typeof fields === "string" ? null : fields[field];
    if (value === undefined || value === null) return null;
    const parsed = parse(value);
    if (parsed === undefined) problems.push({ field, code: "bad_value", value: shownValue(value) });
    return parsed ?? null;
  };
  const window = read("stale-after", windowOf);
  const validated = read("last-validated", dateOf);
  const owner = read("owner", ownerOf);
  const importance = read("importance", importanceOf);
  // A day more, because a date may be tomorrow's here.
  if (validated && validated.time > now + DAY_MS)
    problems.push({ field: "last-validated", code: "in_future", value: validated.text });
  if (window === null && problems.length === 0) return undefined;
  const isUnclear = problems.some(({ field }) => field !== "owner" && field !== "importance");
  const due = window === null || isUnclear ? null : dueAfter(validated?.time ?? written, window);
  return {
    path,
    state: isUnclear ? "unknown" : due !== null && now > due ? "stale" : "fresh",
    stale_after: window?.text ?? null,
    last_validated: validated?.text ?? null,
    written: rfc3339(written),
    due: rfc3339OrNull(due),
    owner,
    importance,
    problems,
  };
}

/** Returns the last time, in ms, at which judging the same document again has the same outcome. */
export function trueUntil({ state, due, problems }: Freshness): number {
  const future = problems.find(({ code }) => code === "in_future");
  if (future) return (timeOf(future.value ?? "") ?? 0) - DAY_MS - 1;
  return state === "fresh" && due !== null ? timeOf(due)! : Infinity;
}

interface Window {
  readonly text: string;
  readonly count: number;
  readonly unit: "d" | "w" | "m" | "y";
}

function windowOf(value: unknown): Window | undefined {
  const match = typeof value === "string" ? WINDOW.exec(value) : null;
  return match ? { text: match[0], count: Number(match[1]), unit: match[2] as Window["unit"] } : undefined;
}

/** Months and years keep the day of the month; a shorter month ends earlier. */
function dueAfter(from: number, { count, unit }: Window): number {
  if (unit === "d" || unit === "w") return Math.min(from + count * (unit === "w" ? 7 : 1) * DAY_MS, TIME_MAX);
  const due = new Date(from);
  const day = due.getUTCDate();
  due.setUTCDate(1);
  due.setUTCMonth(due.getUTCMonth() + count * (unit === "y" ? 12 : 1));
  const lastDay = new Date(Date.UTC(due.getUTCFullYear(), due.getUTCMonth() + 1, 0)).getUTCDate();
  due.setUTCDate(Math.min(day, lastDay));
  return Math.min(due.getTime(), TIME_MAX);
}

/** A date, or a time, of which the date is shown. */
function dateOf(value: unknown): { readonly text: string; readonly time: number } | undefined {
  const time = typeof value === "string" ? timeOf(value) : undefined;
  if (time === undefined) return undefined;
  const text = DATE.exec(value as string)![0];
  // The language takes February 30 for March 1.
  return rfc3339(timeOf(text)!).startsWith(text) ? { text, time } : undefined;
}

function ownerOf(value: unknown): string | undefined {
  const names = Array.isArray(value) ? value : [value];
  const areNames = names.length > 0 && names.every((name) => typeof name === "string" && name !== "");
  return areNames ? names.join(", ") : undefined;
}

function importanceOf(value: unknown): Freshness["importance"] | undefined {
  return value === "high" || value === "normal" || value === "low" ? value : undefined;
}

function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}
