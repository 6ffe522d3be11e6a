// The question before typed input is lost.

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
  onCleanup(() => removeEventListener("beforeunload", warn));
  return () => (ended = true);
}
