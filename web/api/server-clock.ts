// The time of the server. Ages, durations and deadlines compare times of the server with now, so a wrong clock in the browser must not change
// them: a search that expires in ten minutes would be over already.

import { createSignal } from "solid-js";

/** Below this it is the time of travel and the whole seconds of the header, not a wrong clock. */
const SKEW_MS_MIN = 5_000;

/** Milliseconds that the server's clock is ahead of the browser's. */
const [aheadMs, setAheadMs] = createSignal(0);
export { aheadMs };

/** `date`: the header of a response that has just arrived. */
export function hearDate(date: string | null): void {
  const server = Date.parse(date ?? "");
  if (Number.isNaN(server)) return;
  const difference = server - Date.now();
  const next = Math.abs(difference) < SKEW_MS_MIN ? 0 : difference;
  // Otherwise every answer would draw every age again.
  if (Math.abs(next - aheadMs()) >= SKEW_MS_MIN) setAheadMs(next);
}

/** In milliseconds since 1970. */
export function serverNow(): number {
  return Date.now() + aheadMs();
}
