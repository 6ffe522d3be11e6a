// Answers one question about a working tree, as fast as the system can: are all files as they were? A fingerprint over every directory's names and
// every file's signature (signature.ts), without looking at any of them one by one. Whether a file can be a document does not matter here.

import { SECOND_MS, turnOfOthers } from "../../../kit/clock.ts";
import { directoryFacts, hasDirectoryFacts } from "../../../kit/disk/directory-facts.ts";
import type { Job } from "../../../kit/workers/job.ts";
import { COARSE_TICK_MS, TICK_MS } from "./signature.ts";
import type { Lookers } from "./walk-together.ts";
import { isOwnDirectory } from "./walk.ts";

/** Another way to make fingerprints has another number. */
const SCHEME = "g1";
const DEPTH_MAX = 512;
/** The part of the directories left that one job takes: the next job starts only when this thread has read the answer, and it may be busy. */
const PART_OF_JOB = 1 / 3;
/** As many of the longest paths are within the limit of a job. */
const PER_JOB_MAX = 200;
/** With fewer directories left, a thread would start too late. */
const LEFT_FOR_HELP_MIN = 8;
const NANOSECONDS_PER_MS = 1_000_000;
const DEADLINE_MS = 60_000;
const INPUT_BYTES_MAX = 1024 * 1024;

export interface Glance {
  readonly fingerprint: string;
  readonly files: number;
}

interface GlanceInput {
  readonly root: string;
  /** Relative to the root; empty for itself. */
  readonly directories: readonly string[];
  /** In ms since the epoch, before the first directory was read. */
  readonly now: number;
}

interface Seen {
  readonly directory: string;
  readonly hash: string;
  readonly files: number;
  /** Relative to the root. */
  readonly below: readonly string[];
}

/** Undefined: it cannot tell. */
export const GLANCE_JOB: Job<GlanceInput, readonly Seen[] | undefined> = {
  name: "glance",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_BYTES_MAX,
  sizeOf: ({ directories }) => directories.reduce((sum, one) => sum + one.length, 0),
};

/** For a thread. */
export async function glanceAtSome({
  root,
  directories,
  now,
}: GlanceInput): Promise<readonly Seen[] | undefined> {
  if (!hasDirectoryFacts()) return undefined;
  const all: Seen[] = [];
  for (const directory of directories) {
    const seen = await glanceAtOne(root, directory, now);
    if (!seen) return undefined;
    all.push(seen);
  }
  return all;
}

interface GlanceOptions {
  readonly lookers?: Lookers | undefined;
  /** Work of this thread that comes first: until it settles, only the other thread looks, if there is one. */
  readonly first?: Promise<unknown> | undefined;
}

/**
 * `now`: in ms since the epoch, read before the call. Undefined: the system has no way to tell, or a file may still change without a new signature.
 * Pauses. A directory that cannot be read counts as empty, as in a walk.
 */
export async function glanceAt(
  root: string,
  now: number,
  options: GlanceOptions = {},
): Promise<Glance | undefined> {
  return hasDirectoryFacts() ? new SharedGlance(root, now, options).whole() : undefined;
}

class SharedGlance {
  readonly #root: string;
  readonly #now: number;
  readonly #options: GlanceOptions;
  readonly #left = [""];
  readonly #seen: Seen[] = [];
  #helper: Promise<void> | undefined;
  #isUnknown = false;

  constructor(root: string, now: number, options: GlanceOptions) {
    this.#root = root;
    this.#now = now;
    this.#options = options;
  }

  async whole(): Promise<Glance | undefined> {
    const { lookers, first } = this.#options;
    let isBusy = first !== undefined;
    const free = first?.catch(() => {}).then(() => (isBusy = false));
    while (!this.#isUnknown) {
      const directory = this.#left.pop();
      if (directory !== undefined) {
        this.#add(await glanceAtOne(this.#root, directory, this.#now));
        if (lookers && this.#left.length >= LEFT_FOR_HELP_MIN)
          this.#helper ??= this.#help(lookers).finally(() => (this.#helper = undefined));
        // The thread has its answers read, and the next job sent, in between.
        if (this.#helper) await (isBusy ? Promise.race([this.#helper, free]) : turnOfOthers());
      } else if (this.#helper) await this.#helper;
      else break;
    }
    await this.#helper;
    return this.#isUnknown ? undefined : this.#joined();
  }

  async #help(lookers: Lookers): Promise<void> {
    try {
      while (!this.#isUnknown && this.#left.length > 0) {
        const count = Math.min(Math.ceil(this.#left.length * PART_OF_JOB), PER_JOB_MAX);
        const directories = this.#left.splice(0, count);
        const input = { root: this.#root, directories, now: this.#now };
        const seen = await lookers.run(GLANCE_JOB, input, { by: "" });
        if (seen) for (const one of seen) this.#add(one);
        else this.#isUnknown = true;
      }
    } catch {
      // Its directories are missing.
      this.#isUnknown = true;
    }
  }

  #add(seen: Seen | undefined): void {
    if (!seen || depthOf(seen.directory) > DEPTH_MAX) this.#isUnknown = true;
    else {
      this.#seen.push(seen);
      for (const directory of seen.below) this.#left.push(directory);
    }
  }

  #joined(): Glance {
    const sorted = this.#seen.toSorted((one, other) => (one.directory < other.directory ? -1 : 1));
    const text = sorted.map(({ directory, hash }) => `${directory}\0${hash}`).join("\0");
    const files = sorted.reduce((sum, seen) => sum + seen.files, 0);
    return { fingerprint: `${SCHEME}-${Bun.hash(text).toString(36)}-${files}`, files };
  }
}

async function glanceAtOne(root: string, directory: string, now: number): Promise<Seen | undefined> {
  const isTrusted = (seconds: number, nanoseconds: number) => isOld(seconds, nanoseconds, now);
  const below: string[] = [];
  let files = 0;
  const chunks = directoryFacts(directory === "" ? root : `${root}/${directory}`, isTrusted);
  for (;;) {
    const chunk = chunks.next();
    if (chunk.done)
      return chunk.value === undefined
        ? undefined
        : { directory, hash: chunk.value.toString(36), files, below };
    files += chunk.value.files;
    for (const name of chunk.value.directories) {
      if (name === "." || name === "..") continue;
      if (directory !== "") below.push(`${directory}/${name}`);
      else if (!isOwnDirectory(name)) below.push(name);
    }
    await turnOfOthers();
  }
}

/** As `mayChangeUnseen`, for one of the times. */
function isOld(seconds: number, nanoseconds: number, now: number): boolean {
  const tick = nanoseconds === 0 ? COARSE_TICK_MS : TICK_MS;
  return seconds * SECOND_MS + nanoseconds / NANOSECONDS_PER_MS + tick <= now;
}

function depthOf(directory: string): number {
  return directory.split("/").length;
}
