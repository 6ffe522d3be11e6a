// Splits work on many rows into several writes, so that other callers wait for at most one of them.

import { Stretch } from "../clock.ts";
import type { WriteOptions } from "./group-commit.ts";
import type { Db } from "./db.ts";

/**
 * Runs `work` inside writes, in small steps between its yields. At a yield, earlier changes may be committed and others may write, so checks made
 * before a yield must be repeated after it. Resolves when the last write is on disk. Raises what `work` raises; earlier writes stay.
 */
export async function inWrites<T>(
  db: Db,
  work: Generator<void, T>,
  options: Pick<WriteOptions, "relaxed"> = {},
): Promise<T> {
  for (;;) {
    // Otherwise the WAL grows faster than the worker copies it, until the serving thread has to.
    await db.checkpointing;
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
