// How the terminal UI writes times, versions and errors.

import { AppError } from "../../kit/error.ts";
import { minuteText } from "../../kit/text/amounts.ts";

/** UTC, to the minute. */
export function timeText(time: string | null): string {
  return time === null ? "—" : minuteText(time);
}

/** A file on disk that has no version yet has none. */
export function versionText(version: number | null): string {
  return version === null ? "—" : `v${version}`;
}

/** Only the sentence of an expected error is for people. */
export function errorText(error: unknown): string {
  return error instanceof AppError ? error.message : "unexpected failure; try again";
}
