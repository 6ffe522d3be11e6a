// Remembers what a look at all files of a folder found, for a program that shows it again and again. It counts while the log of the space is at the
// same change and the system has reported no change of a file since the look began. Reports can be missing (a network file system, a mapped file), so
// after a while the next user starts another look, and whoever shows the result says when the look was.

import type { Clock } from "../../kit/clock.ts";
import type { Head } from "./engine.ts";
import { headText } from "./head.ts";

/** The results of looking at all files: the links, the front matter, the files that differ from their versions. */
export type TreeLook = "graph" | "freshness" | "unrecorded";

/** A result older than this is still shown, with its time, while another look runs. */
const TRUSTED_MS = 30_000;

/** The changes that the system reports about the files of the folder. */
interface TreeChanges {
  /** How many changes so far; undefined: it reports none, so nothing is remembered. */
  readonly changes: number | undefined;
  /** Resolves when every change before the call is counted. */
  settled(): Promise<void>;
}

interface TreeMemoryDeps {
  readonly clock: Clock;
  readonly watch: TreeChanges;
  /** Called whenever something is asked for. */
  readonly onRecall: (what: TreeLook) => void;
  /** Runs a look that no caller waits for, with the space kept open. */
  readonly later: (look: () => Promise<void>) => void;
}

interface Look {
  readonly head: string;
  readonly changes: number | undefined;
  /** When it began, in ms since the epoch. */
  readonly at: number;
  readonly found: Promise<unknown>;
}

export class TreeMemory {
  readonly #deps: TreeMemoryDeps;
  /** Those that ended well. */
  readonly #kept = new Map<TreeLook, Look>();
  readonly #running = new Map<TreeLook, Look>();
  /** When the look began whose result was returned last. */
  readonly #returned = new Map<TreeLook, number>();

  constructor(deps: TreeMemoryDeps) {
    this.#deps = deps;
  }

  /**
   * Returns what is known, or looks. Callers at the same time share a look. `what` determines the type. `isTrue`: whether it is true at this time of
   * day. Raises what `look` raises.
   */
  async recall<T>(
    what: TreeLook,
    head: Head,
    look: () => Promise<T>,
    isTrue: (found: T) => boolean = () => true,
  ): Promise<T> {
    this.#deps.onRecall(what);
    await this.#deps.watch.settled();
    const kept = this.#kept.get(what);
    if (kept && this.#isCurrent(kept, head)) {
      const found = (await kept.found) as T;
      if (isTrue(found)) {
        if (this.#deps.clock.now() - kept.at > TRUSTED_MS) this.#lookLater(what, head, look);
        this.#returned.set(what, kept.at);
        return found;
      }
    }
    const running = this.#running.get(what);
    const next = running && this.#isCurrent(running, head) ? running : this.#look(what, head, look);
    const found = (await next.found) as T;
    this.#returned.set(what, next.at);
    return found;
  }

  /** When the look began whose result `recall` returned last, in ms since the epoch. Undefined: there was none. */
  lookedAt(what: TreeLook): number | undefined {
    return this.#returned.get(what);
  }

  /** From here on, everything is looked at again. */
  forget(): void {
    this.#kept.clear();
    this.#running.clear();
  }

  #isCurrent({ head, changes }: Look, now: Head): boolean {
    return changes !== undefined && changes === this.#deps.watch.changes && head === headText(now);
  }

  #look<T>(what: TreeLook, head: Head, look: () => Promise<T>): Look {
    const { clock, watch } = this.#deps;
    // All taken first: what changes from here on makes another look necessary.
    const begun = { head: headText(head), changes: watch.changes, at: clock.now() };
    const running: Look = { ...begun, found: look() };
    this.#running.set(what, running);
    running.found.then(
      () => {
        if (this.#ended(what, running)) this.#kept.set(what, running);
      },
      () => this.#ended(what, running),
    );
    return running;
  }

  /** Returns whether it is the latest look and was not forgotten. */
  #ended(what: TreeLook, look: Look): boolean {
    return this.#running.get(what) === look && this.#running.delete(what);
  }

  #lookLater<T>(what: TreeLook, head: Head, look: () => Promise<T>): void {
    if (this.#running.has(what)) return;
    this.#deps.later(async () => {
      // The space may have been closed meanwhile; whoever needs the result then looks again and sees a failure.
      if (!this.#running.has(what)) await this.#look(what, head, look).found.catch(() => undefined);
    });
  }
}
