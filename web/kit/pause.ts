// Work that waits for a pause, so that a change in quick succession causes it once.

import { onCleanup } from "solid-js";

/** Call it in an effect: another run of the effect, or its end, cancels what still waits. */
export function afterPause(ms: number, run: () => void): void {
  const timer = setTimeout(run, ms);
  onCleanup(() => clearTimeout(timer));
}
