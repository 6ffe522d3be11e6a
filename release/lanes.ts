// Splits the test files into runs that go side by side. A browser leaves a core idle most of the time, so one file after the other takes twice as
// long as the work. Tests that judge time run at the end, with nothing beside them.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./step.ts";

/** More runs than cores, because each of them waits most of the time; more than these fight for memory. */
const RUNS_MAX = 4;
/** A file that judges time says so in its first lines. */
const ALONE = "// Runs alone: ";
const SCREENS = "tests/web/";
/** One docker daemon is shared within a process; another process would stop it. */
const DOCKER = /kit\/docker\.ts"/;

export interface Lanes {
  /** Each in a process of its own, whichever is free. */
  readonly single: readonly string[];
  /** In one process, beside the others. */
  readonly together: readonly string[];
  /** In one process, after all others. */
  readonly alone: readonly string[];
}

export function lanesOf(files: readonly { readonly path: string; readonly text: string }[]): Lanes {
  const lanes = { single: [] as string[], together: [] as string[], alone: [] as string[] };
  for (const { path, text } of files) {
    const isScreen = path.startsWith(SCREENS) && !DOCKER.test(text);
    lanes[text.includes(ALONE) ? "alone" : isScreen ? "single" : "together"].push(path);
  }
  return lanes;
}

export function testFiles(): { path: string; text: string }[] {
  return [...new Glob("tests/**/*.test.ts").scanSync({ cwd: ROOT })]
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** How many runs go side by side. */
export function runsAtOnce(cores = availableParallelism()): number {
  return cores === 1 ? 1 : Math.min(cores + 1, RUNS_MAX);
}
