// Looks at many files at once: asks the system for what it knows about each, in a worker thread or here. Reads no content and follows no links.

import { lstatSync, type Stats } from "node:fs";
import type { Job } from "../../../kit/workers/job.ts";
import { FACTS_PER_FILE } from "../engine.ts";

/** The facts that the system reports about a file; see signature.ts. */
export type FileFacts = Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino">;

const DEADLINE_MS = 60_000;
const NAMES_BYTES_MAX = 4 * 1024 * 1024;
/** No name has it. */
const BETWEEN_NAMES = "\0";
/** One object for all calls. */
const IF_THERE = { throwIfNoEntry: false } as const;

interface LookInput {
  readonly root: string;
  /** Relative to the root, joined. */
  readonly names: string;
}

/** FACTS_PER_FILE numbers for each file in its order. */
export const LOOK_JOB: Job<LookInput, Float64Array> = {
  name: "look",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: NAMES_BYTES_MAX,
  sizeOf: ({ names }) => names.length,
};

export function joinedNames(names: readonly string[]): string {
  return names.join(BETWEEN_NAMES);
}

export function lookAtAll({ root, names }: LookInput): Float64Array {
  const all = names.split(BETWEEN_NAMES);
  const facts = new Float64Array(all.length * FACTS_PER_FILE);
  for (const [index, name] of all.entries()) {
    const stats = lstatSync(`${root}/${name}`, IF_THERE);
    const at = index * FACTS_PER_FILE;
    if (stats?.isFile()) putFacts(facts, at, stats);
    else facts[at] = NaN;
  }
  return facts;
}

export function putFacts(facts: Float64Array, at: number, { size, mtimeMs, ctimeMs, ino }: FileFacts): void {
  facts[at] = size;
  facts[at + 1] = mtimeMs;
  facts[at + 2] = ctimeMs;
  facts[at + 3] = ino;
}

/** Undefined: no longer a regular file. */
export function factsAt(facts: Float64Array, index: number): FileFacts | undefined {
  const at = index * FACTS_PER_FILE;
  const size = facts[at]!;
  if (Number.isNaN(size)) return undefined;
  return { size, mtimeMs: facts[at + 1]!, ctimeMs: facts[at + 2]!, ino: facts[at + 3]! };
}
