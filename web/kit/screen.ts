// How much room there is, and whether things may move.

import { createSignal } from "solid-js";

const NARROW_MAX = "(max-width: 760px)";

function matches(query: string) {
  const list = matchMedia(query);
  const [on, setOn] = createSignal(list.matches);
  list.addEventListener("change", () => setOn(list.matches));
  return on;
}

/** One column: the rail is a sheet, and so is what stands beside the main pane. */
export const narrow = matches(NARROW_MAX);
export const reducedMotion = matches("(prefers-reduced-motion: reduce)");
