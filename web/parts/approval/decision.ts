// The state of one decision: armed, busy, settled or failed. The buttons are not armed at first, so that neither a key already on its way nor
// the second half of a double click decides on something unread.

import { type Accessor, createSignal } from "solid-js";
import { asProblem, type Problem } from "../../api/problem.ts";
import { createProblem } from "../../api/reach.ts";
import { refresh } from "../../api/query.ts";
import { afterPause } from "../../kit/pause.ts";

/** The time a hand needs to stop what it was doing. */
const ARMED_AFTER_MS = 600;

/** Returned by a `send` that the person called off, so that nothing was decided. */
export const CANCELLED = Symbol("cancelled");

export interface Decision {
  /** False at first: the buttons can have the focus but do nothing. */
  readonly armed: Accessor<boolean>;
  /** The verb being sent. */
  readonly busy: Accessor<string | undefined>;
  /** The outcome of a decision made here. */
  readonly settled: Accessor<string | undefined>;
  readonly problem: Accessor<Problem | undefined>;
  /** `send` raises `Problem`. `words`: the outcome to show. */
  readonly decide: (event: MouseEvent, verb: string, words: string, send: () => Promise<unknown>) => void;
}

/** `onEnd` is called after every response: a refusal may mean that someone else decided. */
export function createDecision(onEnd: () => void, onSettled?: () => void): Decision {
  const [armed, setArmed] = createSignal(false);
  const [busy, setBusy] = createSignal<string>();
  const [settled, setSettled] = createSignal<string>();
  const [problem, setProblem] = createProblem();
  afterPause(ARMED_AFTER_MS, () => setArmed(true));
  const run = async (verb: string, words: string, send: () => Promise<unknown>) => {
    setBusy(verb);
    setProblem(undefined);
    try {
      if ((await send()) === CANCELLED) return;
      setSettled(words);
      onSettled?.();
    } catch (error) {
      setProblem(asProblem(error));
      // Someone else may have changed or decided it.
      void refresh("gears", "one");
    } finally {
      setBusy(undefined);
    }
    onEnd();
    await refresh("approvals");
  };
  return {
    armed,
    busy,
    settled,
    problem,
    decide: (event, verb, words, send) => {
      if (!armed() || busy() !== undefined || settled() !== undefined || event.detail > 1) return;
      void run(verb, words, send);
    },
  };
}
