// Whether the server can be reached. After a request that found nobody, the server is asked until it answers, also when no screen asks; then
// everything that waits for it hears so.

import { createSignal, onCleanup, type Accessor } from "solid-js";
import type { Problem } from "./problem.ts";

const ASK_MS_MIN = 1_000;
const ASK_MS_MAX = 8_000;
/** A problem is shown this long at least: an answer to another request often arrives right behind the failure. */
const SHOWN_MS_MIN = 4_000;

/** The oldest of the stored answers that are shown, RFC 3339; undefined while the server answers. */
const [storedAt, setStoredAt] = createSignal<string>();
export { storedAt };

const hearers = new Set<() => void>();
let lost = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls `hear` when the server answers again. Returns a function that unsubscribes. */
export function onReachedAgain(hear: () => void): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** The service worker answered in place of the server, with what it stored at this time. */
export function answeredFromStore(time: string, ask: () => Promise<unknown>): void {
  setStoredAt((before) => (before === undefined || time < before ? time : before));
  unreached(ask);
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
  setStoredAt(undefined);
  clearTimeout(timer);
  hearers.forEach((hear) => hear());
}

/** A problem to show. One that says that the server is unreachable ends when it answers again, but not before it could be read. */
export function createProblem(): [Accessor<Problem | undefined>, (problem: Problem | undefined) => void] {
  const [problem, setProblem] = createSignal<Problem>();
  let reading: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const set = (next: Problem | undefined) => {
    clearTimeout(reading);
    reading = next?.code === "offline" ? setTimeout(wasRead, SHOWN_MS_MIN) : undefined;
    isOver = false;
    setProblem(() => next);
  };
  const end = () => isOver && reading === undefined && problem()?.code === "offline" && set(undefined);
  const wasRead = () => {
    reading = undefined;
    end();
  };
  const hear = () => {
    isOver = true;
    end();
  };
  onCleanup(onReachedAgain(hear));
  onCleanup(() => clearTimeout(reading));
  return [problem, set];
}
