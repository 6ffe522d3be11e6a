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

/** A text that was typed and not saved. */
export interface TypedText {
  /** "Role of boss" */
  readonly name: string;
  readonly text: string;
}

interface Guard {
  readonly atRisk: () => boolean;
  /** For a form whose page may end by itself. */
  readonly typed: (() => TypedText) | undefined;
}

/** The forms on the screen: whether each would lose input. */
const guards = new Set<Guard>();

/** Resolves with true if everything on the screen may be left, as when the person signs out. */
export function mayLeave(): Promise<boolean> {
  return mayDiscard([...guards].some(({ atRisk }) => atRisk()));
}

/** The texts on the screen that would be lost, of forms that name theirs. */
export function typedTexts(): readonly TypedText[] {
  return [...guards].flatMap(({ atRisk, typed }) => (typed !== undefined && atRisk() ? [typed()] : []));
}

/**
 * Asks before navigation or a reload loses input. Returns a function that ends this, for when the input is saved. `typed`: of a form that goes when
 * someone else deletes what its page shows.
 */
export function guardLeaving(dirty: () => boolean, typed?: () => TypedText): () => void {
  let ended = false;
  const atRisk = () => !ended && dirty();
  useBeforeLeave((event) => {
    if (event.defaultPrevented || !atRisk()) return;
    event.preventDefault();
    void mayDiscard(true).then((leave) => leave && event.retry(true));
  });
  const warn = (event: BeforeUnloadEvent) => atRisk() && event.preventDefault();
  addEventListener("beforeunload", warn);
  const guard = { atRisk, typed };
  guards.add(guard);
  onCleanup(() => {
    removeEventListener("beforeunload", warn);
    guards.delete(guard);
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
