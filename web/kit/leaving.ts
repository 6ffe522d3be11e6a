// The question before typed input is lost, and the end of what belongs to a page that is left.

import { useBeforeLeave } from "@solidjs/router";
import { onCleanup } from "solid-js";
import { confirm } from "./dialog.tsx";

/** Resolves with true if nothing is lost, or if the person discards it. */
export async function mayDiscard(dirty: boolean): Promise<boolean> {
  if (!dirty) return true;
  return confirm({
    title: "Discard changes?",
    text: "Your unsaved changes will be lost.",
    action: "Discard changes",
  });
}

/** The forms on the screen: whether each would lose input. */
const guards = new Set<() => boolean>();

/** Resolves with true if everything on the screen may be left, as when the person signs out. */
export function mayLeave(): Promise<boolean> {
  return mayDiscard([...guards].some((atRisk) => atRisk()));
}

/** Asks before navigation or a reload loses input. Returns a function that ends this, for when the input is saved. */
export function guardLeaving(dirty: () => boolean): () => void {
  let ended = false;
  const atRisk = () => !ended && dirty();
  useBeforeLeave((event) => {
    if (event.defaultPrevented || !atRisk()) return;
    event.preventDefault();
    void mayDiscard(true).then((leave) => leave && event.retry(true));
  });
  const warn = (event: BeforeUnloadEvent) => atRisk() && event.preventDefault();
  addEventListener("beforeunload", warn);
  guards.add(atRisk);
  onCleanup(() => {
    removeEventListener("beforeunload", warn);
    guards.delete(atRisk);
  });
  return () => (ended = true);
}

/**
 * Runs when another page is asked for. Its screen may still have to load, and the address changes only after that: what a person opens meanwhile is
 * there to stay. A page that changes its own parameters stays the same page.
 */
export function onLeaving(run: () => void): void {
  useBeforeLeave(({ to, from }) => {
    if (typeof to === "number" || new URL(to, location.origin).pathname !== from.pathname) run();
  });
}
