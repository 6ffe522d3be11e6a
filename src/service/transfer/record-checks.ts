// Small checks that several parts of a file need.

import { timeOf } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";

/** A time before 1970 or after the year 9999 is a mistake. */
const TIME_MS_MAX = 253_402_300_799_999;

/** Returns ms. Raises `invalid`. */
export function requireTime(text: string): number {
  const time = timeOf(text);
  if (time !== undefined && time >= 0 && time <= TIME_MS_MAX) return time;
  throw new AppError("invalid", "a time is not in RFC 3339, UTC");
}

/** As `requireTime`; null stays null. */
export function timeOrNull(text: string | null): number | null {
  return text === null ? null : requireTime(text);
}

/** Raises `invalid` for the number of a record that is not there. */
export function requireFits(type: string, field: string, number: number | null, count: number): void {
  if (number === null || number <= count) return;
  throw wrong(type, `${field} ${number} is not in the file`);
}

/** The error for a record that does not fit. */
export function wrong(type: string, problem: string): AppError {
  return new AppError("invalid", `${type}: ${problem}`, { record: type, problem });
}
