// Splits work on many rows into several writes, so that other callers wait for at most one of them.

import { Stretch } from "./clock.ts";
import type { WriteOptions } from "./group-commit.ts";
import type { Db } from "./db.ts";

/**
 * Runs `work`, which does a little between two yields, all of it inside writes. What is done before a yield may be on disk, and others may
 * write, before it goes on: so what was asked before a yield has to be asked again. Resolves when its last write is on disk. Raises what it
 * raises; what earlier writes did stays.
 */
export async function inWrites<T>(
  db: Db,
  work: Generator<void, T>,
  options: Pick<WriteOptions, "relaxed"> = {},
): Promise<T> {
  for (;;) {
    const step = await db.write(() => {
      const stretch = new Stretch();
      for (;;) {
        const next = work.next();
        if (next.done || stretch.isOver()) return next;
      }
    }, options);
    if (step.done) return step.value;
  }
}
