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
const ALONE = /^\/\/ Runs alone: /m;
const SCREENS = "tests/web/";
/** One docker daemon is shared within a process; another process would stop it. */
const DOCKER = /kit\/docker\.ts"/;

export interface Lanes {
  /** Each runs in a process of its own, whichever slot is free. In the order of their start: the longest first. */
  readonly groups: readonly (readonly string[])[];
  /** In one process, after all others. */
  readonly alone: readonly string[];
}

/** Groups that take long, so that none of them is left for the end. */
const LONGEST: readonly string[] = ["docker", "api", "unit", "context", "cli", "binary", "e2e"];

/** A screen by itself, files that share the docker daemon together, and every other folder of tests. */
export function lanesOf(files: readonly { readonly path: string; readonly text: string }[]): Lanes {
  const groups = new Map<string, string[]>(LONGEST.map((name) => [name, []]));
  const alone: string[] = [];
  for (const { path, text } of files) {
    if (ALONE.test(text)) {
      alone.push(path);
      continue;
    }
    const folder = path.split("/")[1]!;
    const name = DOCKER.test(text) ? "docker" : path.startsWith(SCREENS) ? path : folder;
    groups.set(name, [...(groups.get(name) ?? []), path]);
  }
  return { groups: [...groups.values()].filter(({ length }) => length > 0), alone };
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
