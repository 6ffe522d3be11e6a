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
const SCREENS = "web";
/** The first lot has a fourth of the screens, the second a fourth of the others, and so on. */
const LOT_PART = 1 / 4;
/** One docker daemon is shared within a process; another process would stop it. */
const DOCKER = /kit\/docker\.ts"/;

interface TestFile {
  readonly path: string;
  readonly text: string;
}

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

/** Files that share the docker daemon together, every folder of tests but the screens, and screens in lots. */
export function lanesOf(files: readonly TestFile[]): Lanes {
  const groups = new Map<string, string[]>(LONGEST.map((name) => [name, []]));
  const late: string[] = [];
  const alone: string[] = [];
  const screens: TestFile[] = [];
  for (const file of files) {
    const { path, text } = file;
    const name = DOCKER.test(text) ? "docker" : path.split("/")[1]!;
    if (ALONE.test(text)) alone.push(path);
    else if (LATE.test(text)) late.push(path);
    else if (name === SCREENS) screens.push(file);
    else groups.set(name, [...(groups.get(name) ?? []), path]);
  }
  const all = [...groups].map(([name, paths]) => ({ files: paths, onDisk: ON_DISK.includes(name) }));
  const lots = lotsOf(screens).map((lot) => ({ files: lot, onDisk: false }));
  return { groups: [...all.filter(({ files: { length } }) => length > 0), ...lots], late, alone };
}

/**
 * Screens in the order of their time, which is roughly that of their text. Files of one lot share a process and a browser; the lots become smaller
 * towards the end, where a long one would leave the other cores idle ("guided self-scheduling").
 */
function lotsOf(screens: readonly TestFile[]): string[][] {
  const waiting = screens.toSorted((a, b) => b.text.length - a.text.length);
  const charactersOf = (files: readonly TestFile[]) => files.reduce((sum, { text }) => sum + text.length, 0);
  const lots: string[][] = [];
  while (waiting.length > 0) {
    const share = charactersOf(waiting) * LOT_PART;
    const lot = [waiting.shift()!];
    while (waiting.length > 0 && charactersOf([...lot, waiting[0]!]) <= share) lot.push(waiting.shift()!);
    lots.push(lot.map(({ path }) => path));
  }
  return lots;
}

export function testFiles(): TestFile[] {
  return [...new Glob("tests/**/*.test.ts").scanSync({ cwd: ROOT })]
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** How many runs go side by side. */
export function runsAtOnce(cores = availableParallelism()): number {
  return cores === 1 ? 1 : Math.min(cores + 1, RUNS_MAX);
}
