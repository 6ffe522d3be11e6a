// Whether the server can be reached. After a request that found nobody, the server is asked until it answers, also when no screen asks; then
// everything that waits for it hears so.

import { createSignal, onCleanup, type Accessor } from "solid-js";
import type { Problem } from "./problem.ts";

const ASK_MS_MIN = 1_000;
const ASK_MS_MAX = 8_000;

const hearers = new Set<() => void>();
let lost = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls `hear` when the server answers again. Returns a function that unsubscribes. */
export function onReachedAgain(hear: () => void): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** A request failed without an answer. `ask` sends one that changes nothing; its answer arrives at `reached`. */
export function unreached(ask: () => Promise<unknown>): void {
  if (lost) return;
  lost = true;
  const again = (waitMs: number) => {
    timer = setTimeout(() => {
      void ask().catch(() => {});
      if (lost) again(Math.min(waitMs * 2, ASK_MS_MAX));
    }, waitMs);
  };
  again(ASK_MS_MIN);
}

/** The server answered. */
export function reached(): void {
  if (!lost) return;
  lost = false;
  clearTimeout(timer);
  hearers.forEach((hear) => hear());
}

/** A problem to show. One that says that the server is unreachable ends when it answers again. */
export function createProblem(): [Accessor<Problem | undefined>, (problem: Problem | undefined) => void] {
  const [problem, setProblem] = createSignal<Problem>();
  onCleanup(onReachedAgain(() => problem()?.code === "offline" && setProblem(undefined)));
  return [problem, (next) => void setProblem(() => next)];
}
