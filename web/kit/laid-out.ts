// Waits until an element is in the page and has its size: a screen that is still loading its parts renders outside the page first.

import { onCleanup } from "solid-js";

/** Calls `act` once, before the element is painted; never if the owner is gone first. */
export function onceLaidOut(element: Element, act: () => void): void {
  const size = new ResizeObserver(() => {
    size.disconnect();
    act();
  });
  size.observe(element);
  onCleanup(() => size.disconnect());
}
