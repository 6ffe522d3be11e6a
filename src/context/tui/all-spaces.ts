// The same question to every space that the person sees: a few at once, bounded in time. A space that does not answer hides no other, and the note
// says what is missing.

import { systemClock } from "../../kit/clock.ts";
import { within } from "../../kit/concurrency/deadline.ts";
import { AppError } from "../../kit/error.ts";
import { allOf } from "../spaces/open-space.ts";
import type { Desk } from "./desk.ts";
import { plural } from "../../kit/text/amounts.ts";
import { errorText } from "./words.ts";

const SPACES_AT_ONCE = 4;
const ASKING_MS_MAX = 10_000;

interface Answers<T> {
  /** In the order of the spaces. */
  readonly answers: readonly { readonly space: string; readonly answer: T }[];
  /** Names the spaces that are missing. */
  readonly note: string | undefined;
}

interface Asking {
  /** A participle: what is done with a space. */
  readonly done: string;
  /** False: nobody waits for the rest. */
  readonly isWanted?: () => boolean;
  readonly timeMs?: number;
}

/** Raises `unauthenticated`, and `invalid` for a question that no space can answer. */
export async function askAllSpaces<T>(
  desk: Desk,
  { done, isWanted = () => true, timeMs = ASKING_MS_MAX }: Asking,
  ask: (space: string) => Promise<T>,
): Promise<Answers<T>> {
  const list = await desk.spaces();
  const spaces = allOf(list).map(({ name }) => name);
  const found = new Map<string, T>();
  const gone = new Set<string>();
  let failure: { readonly space: string; readonly error: unknown } | undefined;
  const deadline = systemClock.elapsed() + timeMs;
  const left = spaces.values();
  const one = async () => {
    for (const space of left) {
      if (!isWanted() || systemClock.elapsed() > deadline) return;
      try {
        found.set(space, await ask(space));
      } catch (error) {
        // One that cannot be opened says why, whatever it is asked.
        if (isForAll(error) && !list.unopened.includes(space)) throw error;
        if (error instanceof AppError && error.code === "not_found") gone.add(space);
        else failure ??= { space, error };
        if (error instanceof AppError && error.code === "rate_limited") return;
      }
    }
  };
  const asked = Promise.all(Array.from({ length: SPACES_AT_ONCE }, one));
  await within(timeMs, asked);
  const total = spaces.length - gone.size;
  const missing = total - found.size;
  const why = failure
    ? `${failure.space}: ${errorText(failure.error)}`
    : "the others took too long; press r to try again";
  return {
    answers: spaces.flatMap((space) => (found.has(space) ? [{ space, answer: found.get(space)! }] : [])),
    note: missing > 0 ? `${found.size} of ${plural(total, "space")} ${done}: ${why}` : undefined,
  };
}

function isForAll(error: unknown): boolean {
  return error instanceof AppError && ["unauthenticated", "invalid"].includes(error.code);
}
