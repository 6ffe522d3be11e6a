// Walks a large working tree with several threads: this one lists the directories, all look at the files. A small tree is walked here alone,
// because a thread takes some milliseconds to start.

import { availableParallelism } from "node:os";
import { turnOfOthers } from "../../../kit/clock.ts";
import type { HeldRoot } from "../../../kit/disk/held-directory.ts";
import type { WorkerPool } from "../../../kit/workers/pool.ts";
import { factsAt, joinedNames, LOOK_JOB, lookAtAll, type FileFacts } from "./look-job.ts";
import { walk, walkNames, type FoundFile, type NamedFile, type RefusedEntry } from "./walk.ts";

/** Threads that look at files; `src/context/worker-pool.ts` has them. */
export type Lookers = Pick<WorkerPool, "run">;

/** The files of one job: about a millisecond of work. */
const FILES_PER_JOB = 500;
/** With fewer files, no thread helps. */
const JOBS_MIN = 8;
const HELPERS_MAX = 2;

interface Portion {
  readonly names: string[];
  facts: Float64Array | undefined;
}

/** As `walk`. Looks at every file after the call and before it resolves, unless there are no threads. */
export async function walkTogether(
  root: string,
  directories: HeldRoot,
  start: string,
  lookers: Lookers | undefined,
): Promise<Iterable<FoundFile | RefusedEntry>> {
  const helpers = Math.min(availableParallelism() - 1, HELPERS_MAX);
  if (!lookers || helpers < 1) return walk(root, directories, start);
  const shared = new SharedLook(root, lookers, helpers);
  const entries: (NamedFile | FoundFile | RefusedEntry)[] = [];
  for (const entry of walkNames(root, directories, start)) {
    entries.push(entry);
    if (isNamed(entry) && shared.add(entry.name)) await turnOfOthers();
  }
  await shared.finish();
  return foundIn(entries, shared);
}

function isNamed(entry: NamedFile | FoundFile | RefusedEntry): entry is NamedFile {
  return !("stats" in entry) && !("refused" in entry);
}

function* foundIn(
  entries: readonly (NamedFile | FoundFile | RefusedEntry)[],
  shared: SharedLook,
): Generator<FoundFile | RefusedEntry> {
  let index = 0;
  for (const entry of entries) {
    if (!isNamed(entry)) {
      yield entry;
      continue;
    }
    const stats = shared.factsOf(index++);
    if (stats) yield { path: entry.path, name: entry.name, stats };
  }
}

class SharedLook {
  readonly #root: string;
  readonly #lookers: Lookers;
  readonly #helpersMax: number;
  readonly #portions: Portion[] = [];
  readonly #helpers = new Set<Promise<void>>();
  /** The first portion that nobody has taken. */
  #next = 0;
  #isComplete = false;
  #isAlone = false;

  constructor(root: string, lookers: Lookers, helpersMax: number) {
    this.#root = root;
    this.#lookers = lookers;
    this.#helpersMax = helpersMax;
  }

  /** Returns whether there is a portion for a thread, which begins in the next turn of the event loop. */
  add(name: string): boolean {
    const last = this.#portions.at(-1);
    if (!last || last.names.length === FILES_PER_JOB) {
      this.#portions.push({ names: [name], facts: undefined });
      return false;
    }
    last.names.push(name);
    if (last.names.length < FILES_PER_JOB || this.#portions.length < JOBS_MIN || this.#isAlone) return false;
    while (this.#helpers.size < this.#helpersMax) this.#startHelper();
    return true;
  }

  /** Helps until every file was looked at. */
  async finish(): Promise<void> {
    this.#isComplete = true;
    for (let portion = this.#take(); portion; portion = this.#take()) {
      this.#lookHere(portion);
      if (this.#helpers.size > 0) await turnOfOthers();
    }
    await Promise.all(this.#helpers);
    // A thread that failed leaves its portion.
    for (const portion of this.#portions) if (!portion.facts) this.#lookHere(portion);
  }

  factsOf(index: number): FileFacts | undefined {
    const { facts } = this.#portions[Math.floor(index / FILES_PER_JOB)]!;
    return factsAt(facts!, index % FILES_PER_JOB);
  }

  #startHelper(): void {
    const helper = this.#help().finally(() => this.#helpers.delete(helper));
    this.#helpers.add(helper);
  }

  async #help(): Promise<void> {
    for (let portion = this.#take(); portion; portion = this.#take()) {
      const input = { root: this.#root, names: joinedNames(portion.names) };
      try {
        portion.facts = await this.#lookers.run(LOOK_JOB, input, { by: "" });
      } catch {
        this.#isAlone = true;
        return;
      }
    }
  }

  /** Returns the last portion only once it no longer grows. */
  #take(): Portion | undefined {
    const portion = this.#portions[this.#next];
    if (!portion || (!this.#isComplete && portion.names.length < FILES_PER_JOB)) return undefined;
    this.#next += 1;
    return portion;
  }

  #lookHere(portion: Portion): void {
    portion.facts = lookAtAll({ root: this.#root, names: joinedNames(portion.names) });
  }
}
