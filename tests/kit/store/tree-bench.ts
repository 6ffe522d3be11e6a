// A space on the bench whose working tree is looked at from outside.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Batch, Operation } from "../../../src/context/versioned-store/engine.ts";
import type { SqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { apply, sqliteBench } from "./file-engine.ts";

export async function treeBench() {
  const made = await sqliteBench();
  const on = (path: string) => `${made.directory}/${path}`;
  return Object.assign(made, {
    on,
    shown: (path: string) => (existsSync(on(path)) ? readFileSync(on(path), "utf8") : undefined),
    byHand: (path: string, content: string) => writeFileSync(on(path), content),
    /** `a.md v2 modified`; without a version `a.md - untracked`. */
    states: async () =>
      (await made.engine.list()).map(
        ({ path, version, state }) => `${path} ${version === null ? "-" : `v${version}`} ${state}`,
      ),
  });
}

/** With the tree as it is a moment later. */
export async function applyAndSettle(
  engine: SqliteEngine,
  operations: Operation[],
  more: Partial<Batch> = {},
) {
  const applied = await apply(engine, operations, more);
  engine.settle();
  return applied;
}
