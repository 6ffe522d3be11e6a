// Answers one question about a working tree, as fast as the system can: are all files as they were? A fingerprint over every directory's names and
// every file's signature (signature.ts), without looking at any of them one by one. Whether a file can be a document does not matter here.

import { turnOfOthers } from "../../../kit/clock.ts";
import { directoryFacts, hasDirectoryFacts } from "../../../kit/directory-facts.ts";
import type { Job } from "../../../kit/workers/job.ts";
import { COARSE_TICK_MS, SECOND_MS, TICK_MS } from "./signature.ts";
import type { Lookers } from "./walk-together.ts";
import { isOwnDirectory } from "./walk.ts";

/** Another way to make fingerprints has another number. */
const SCHEME = "g1";
const DEPTH_MAX = 512;
/** The directories of one job. */
const PER_JOB = 4;
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

/**
 * `now`: in ms since the epoch, read before the call. Undefined: the system has no way to tell, or a file may still change without a new signature.
 * Pauses. A directory that cannot be read counts as empty, as in a walk.
 */
export async function glanceAt(root: string, now: number, lookers?: Lookers): Promise<Glance | undefined> {
  return hasDirectoryFacts() ? new SharedGlance(root, now, lookers).whole() : undefined;
}

class SharedGlance {
  readonly #root: string;
  readonly #now: number;
  readonly #lookers: Lookers | undefined;
  readonly #left = [""];
  readonly #seen: Seen[] = [];
  #helper: Promise<void> | undefined;
  #isUnknown = false;

  constructor(root: string, now: number, lookers: Lookers | undefined) {
    this.#root = root;
    this.#now = now;
    this.#lookers = lookers;
  }

  async whole(): Promise<Glance | undefined> {
    while (!this.#isUnknown) {
      const directory = this.#left.pop();
      if (directory !== undefined) {
        this.#add(await glanceAtOne(this.#root, directory, this.#now));
        if (this.#lookers && this.#left.length >= LEFT_FOR_HELP_MIN)
          this.#helper ??= this.#help(this.#lookers).finally(() => (this.#helper = undefined));
        // The thread has its answers read, and the next job sent, in between.
        if (this.#helper) await turnOfOthers();
      } else if (this.#helper) await this.#helper;
      else break;
    }
    await this.#helper;
    return this.#isUnknown ? undefined : this.#joined();
  }

  async #help(lookers: Lookers): Promise<void> {
    try {
      while (!this.#isUnknown && this.#left.length > 0) {
        const directories = this.#left.splice(0, PER_JOB);
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
