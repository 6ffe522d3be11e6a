// Media queries as signals: narrow screens, fingers and reduced motion.

import { createSignal } from "solid-js";

/** The style sheets name the same width. Above it, the rail, a page and a side pane fit beside each other. */
const NARROW_MAX = "(max-width: 900px)";

function matches(query: string) {
  const list = matchMedia(query);
  const [on, setOn] = createSignal(list.matches);
  list.addEventListener("change", () => setOn(list.matches));
  return on;
}

/** One column: the rail and side panes become sheets. */
export const narrow = matches(NARROW_MAX);
export const reducedMotion = matches("(prefers-reduced-motion: reduce)");
/** Nothing hovers: there are fingers in place of a pointer. */
export const fingers = matches("(hover: none)");
