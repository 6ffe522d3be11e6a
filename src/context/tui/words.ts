// How the terminal UI writes times, sizes and errors.

import { AppError } from "../../kit/error.ts";

const MINUTE_END = 16;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** UTC, to the minute. */
export function timeText(time: string | null): string {
  return time === null ? "—" : time.slice(0, MINUTE_END).replace("T", " ");
}

export function sizeText(count: number): string {
  const power = count <= 0 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), UNITS.length - 1);
  const value = count / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

/** Only the sentence of an expected error is for people. */
export function errorText(error: unknown): string {
  return error instanceof AppError ? error.message : "unexpected failure; try again";
}

export function countText(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
