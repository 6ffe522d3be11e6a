// Splits the test files into runs that go side by side. A browser leaves a core idle most of the time, so one file after the other takes twice as
// long as the work. Tests that judge time run at the end: those that judge processor time a core each, the others with nothing beside them.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./step.ts";

/** More runs than cores, because each of them waits most of the time; more than these fight for memory. */
const RUNS_MAX = 4;
/** The tests of these groups are about the disk: kills, full disks, and the daemon that keeps images there. */
const ON_DISK: readonly string[] = ["docker", "e2e"];
/** A file that judges time says so in its first lines, and which: of the clock, or of the processor. */
const ALONE = /^\/\/ Runs alone: /m;
const LATE = /^\/\/ Runs late: /m;
const SCREENS = "tests/web/";
/** One docker daemon is shared within a process; another process would stop it. */
const DOCKER = /kit\/docker\.ts"/;

export interface Group {
  readonly files: readonly string[];
  /** It writes to the disk, also where other groups write to memory. */
  readonly onDisk: boolean;
}

interface Lanes {
  /** Each runs in a process of its own, whichever slot is free. In the order of their start: the longest first. */
  readonly groups: readonly Group[];
  /** Each in a process of its own, as many at once as there are cores, after the groups. In the order of their start: the longest first. */
  readonly late: readonly string[];
  /** In one process, after all others. */
  readonly alone: readonly string[];
}

/** Groups that take long, so that none of them is left for the end. */
const LONGEST: readonly string[] = ["docker", "api", "unit", "context", "cli", "binary", "e2e"];

/** A screen by itself, files that share the docker daemon together, and every other folder of tests. */
export function lanesOf(files: readonly { readonly path: string; readonly text: string }[]): Lanes {
  const groups = new Map<string, string[]>(LONGEST.map((name) => [name, []]));
  const late: string[] = [];
  const alone: string[] = [];
  // Of screens, the file with the most text takes the longest, roughly.
  const isScreen = ({ path }: { readonly path: string }) => path.startsWith(SCREENS);
  const screens = files.filter(isScreen).toSorted((a, b) => b.text.length - a.text.length);
  for (const { path, text } of [...files.filter((file) => !isScreen(file)), ...screens]) {
    if (ALONE.test(text) || LATE.test(text)) {
      (ALONE.test(text) ? alone : late).push(path);
      continue;
    }
    const folder = path.split("/")[1]!;
    const name = DOCKER.test(text) ? "docker" : isScreen({ path }) ? path : folder;
    groups.set(name, [...(groups.get(name) ?? []), path]);
  }
  const all = [...groups].map(([name, paths]) => ({ files: paths, onDisk: ON_DISK.includes(name) }));
  return { groups: all.filter(({ files: { length } }) => length > 0), late, alone };
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
