// Sizes as people type them: `5 MiB`, `1.5 GiB`, `800`.

import { fieldError } from "../../kit/error.ts";
import { LARGE_UNITS, UNIT } from "../../kit/text/amounts.ts";

const UNITS = ["bytes", ...LARGE_UNITS];

/** The shortest text that means exactly this many bytes. */
export function byteText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= UNIT && value % UNIT === 0 && unit < UNITS.length - 1) {
    value /= UNIT;
    unit += 1;
  }
  return `${value} ${UNITS[unit]}`;
}

/** Undefined if it is empty. Raises `invalid`. */
export function byteCount(field: string, text: string): number | undefined {
  if (text.trim() === "") return undefined;
  const match = /^(\d{1,15}(?:\.\d{1,3})?)\s*(bytes?|kib|mib|gib|tib)?$/i.exec(text.trim());
  const unit = (match?.[2] ?? "bytes").toLowerCase();
  const index = UNITS.findIndex((one) => one.toLowerCase().startsWith(unit.slice(0, 4)));
  const bytes = match ? Math.round(Number(match[1]) * UNIT ** index) : NaN;
  if (!Number.isSafeInteger(bytes)) throw fieldError("invalid", field, "expected a size such as 5 MiB");
  return bytes;
}
