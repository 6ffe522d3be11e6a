// A process that writes to a space until it is killed, and says what was acknowledged: `bun tests/kit/store/file-writer.ts <directory> <seed>`.
// One line of JSON for each batch that resolved: { batch, paths, seq }. Batches of 1 to 5 files that all hold the batch's number.

import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { put } from "./file-engine.ts";
import { silent } from "../silent.ts";

const PATHS = 12;
const WRITERS = 6;

const [directory, seed] = process.argv.slice(2) as [string, string];
const engine = openSqliteEngine({ directory, clock: systemClock, log: silent });
let state = Number(seed) >>> 0;
let count = 0;

/** Numerical Recipes' linear congruential generator. */
function below(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

async function write(): Promise<never> {
  for (;;) {
    const batch = `${seed}-${(count += 1)}`;
    const first = below(PATHS);
    const paths = Array.from(
      { length: 1 + below(5) },
      (_, index) => `d${(first + index) % 3}/${(first + index) % PATHS}.md`,
    );
    const operations = paths.map((path) => put(path, `${batch} ${"x".repeat(below(3_000))}`));
    const applied = await engine.apply({ operations, author: `${batch} of ${paths.length}` });
    process.stdout.write(`${JSON.stringify({ batch, paths, seq: applied.head.seq })}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, write));
