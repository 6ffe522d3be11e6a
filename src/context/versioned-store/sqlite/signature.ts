// The signature of a file: what the file system says about it. While the signature is the same, so is the content.
//
// One case is left out: a file that is edited twice within one tick of the file system's clock has the same times after both edits. So a signature
// only counts if its times are older than a tick when it is taken.

import { SECOND_MS } from "../../../kit/clock.ts";
import { fstatSync, futimesSync, type Stats } from "node:fs";

/** File systems keep time in nanoseconds, but read a clock that ticks every 1 to 16 ms; a network adds some difference. */
export const TICK_MS = 100;
/** Some file systems keep whole seconds only; FAT every second one. */
export const COARSE_TICK_MS = 3_000;

/** Reports whether an edit after `now` could leave the same times. `now`: ms since the epoch, read before `stats`. */
export function mayChangeUnseen(
  { mtimeMs, ctimeMs }: Pick<Stats, "mtimeMs" | "ctimeMs">,
  now: number,
): boolean {
  const tick = mtimeMs % SECOND_MS === 0 ? COARSE_TICK_MS : TICK_MS;
  return Math.max(mtimeMs, ctimeMs) + tick > now;
}

/**
 * Sets the time of a file back, before anyone else can open it, and returns it. An edit right after ours may happen within the same tick of the
 * clock, and would otherwise leave the same time.
 */
export function backdated(descriptor: number): number {
  const modified = fstatSync(descriptor).mtimeMs - TICK_MS;
  futimesSync(descriptor, modified / SECOND_MS, modified / SECOND_MS);
  return modified;
}
