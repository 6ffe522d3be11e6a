// Watches the folder of a space and reports paths that may have changed, gathered for a moment, because editors save in several steps.

import { rmSync, watch, writeFileSync, type FSWatcher } from "node:fs";
import { join, sep } from "node:path";
import { LATE, within } from "../../kit/concurrency/deadline.ts";
import { noticesEveryChange } from "../../kit/disk/change-notices.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { isNudge } from "./daemon-status.ts";

/** Reports this long after the last change, */
const QUIET_MS = 60;
/** but no later than this after the first. */
const GATHER_MS_MAX = 500;
/** With more paths than this, everything is looked at. */
const PATHS_MAX = 200;
/** Our own folders, which every cycle writes. */
const OWN = /^\.(?:cairn|sync)(?:\/|$)/;

/** A file that is created to see the report of it. The system reports in order, so everything before it has been reported then. */
const MARK = `.cairn/write-watch-${process.pid}-`;
/** Without the report by then, the system is taken not to watch. */
const MARK_MS_MAX = 1_000;

/** `everything`: too many paths, or the system lost some. `nudged`: a command asks the daemon to try again. */
export type Changed = ReadonlySet<string> | "everything" | "nudged";

export class TreeWatch {
  readonly #tell: (changed: Changed) => void;
  readonly #log: Log;
  readonly #noticesEveryChange: (directory: string) => boolean;
  #isEverythingNoticed = false;
  #watcher: FSWatcher | undefined;
  #directory = "";
  #paths = new Set<string>();
  #changes = 0;
  #marks = 0;
  /** Those that are not reported yet. */
  readonly #marked = new Map<string, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest: ReturnType<typeof setTimeout> | undefined;

  /** `noticesEvery`: replaced in tests. */
  constructor(log: Log, tell: (changed: Changed) => void, noticesEvery = noticesEveryChange) {
    this.#log = log;
    this.#tell = tell;
    this.#noticesEveryChange = noticesEvery;
  }

  /** Reports whether the system reports every change of the folder. Without, the daemon looks at it regularly, and still hears of some. */
  get isWatching(): boolean {
    return this.#watcher !== undefined && this.#isEverythingNoticed;
  }

  /** How many changes the system has reported, counted at once. Undefined: it does not watch the folder. */
  get changes(): number | undefined {
    return this.#watcher === undefined ? undefined : this.#changes;
  }

  /** Resolves when every change before the call is in `changes`. */
  async settled(): Promise<void> {
    if (this.#watcher === undefined) return;
    const mark = `${MARK}${(this.#marks += 1)}`;
    const path = join(this.#directory, mark);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#marked.set(mark, resolve);
    try {
      writeFileSync(path, "");
      // Without the report nobody knows whether something has changed.
      if ((await within(MARK_MS_MAX, promise)) === LATE) this.#changes += 1;
    } catch {
      this.#changes += 1;
    } finally {
      this.#marked.delete(mark);
      rmSync(path, { force: true });
    }
  }

  start(directory: string): void {
    this.#directory = directory;
    this.#isEverythingNoticed = this.#noticesEveryChange(directory);
    try {
      this.#watcher = watch(directory, { recursive: true }, (_, name) => this.#noted(name));
      this.#watcher.on("error", (error) => this.#lost(error));
    } catch (error) {
      this.#lost(error);
    }
  }

  stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#latest);
  }

  #noted(name: string | null): void {
    const path = name?.split(sep).join("/").normalize("NFC") ?? "";
    this.#marked.get(path)?.();
    if (isNudge(path)) this.#tell("nudged");
    if (OWN.test(path)) return;
    this.#changes += 1;
    this.#paths.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#report(), QUIET_MS);
    this.#latest ??= setTimeout(() => this.#report(), GATHER_MS_MAX);
  }

  #report(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#latest);
    this.#latest = undefined;
    const paths = this.#paths;
    this.#paths = new Set();
    if (paths.size === 0) return;
    this.#tell(paths.has("") || paths.size > PATHS_MAX ? "everything" : paths);
  }

  #lost(error: unknown): void {
    this.stop();
    this.#log.warn("cannot watch the folder; scanning all files repeatedly", {
      error: messageOf(error),
    });
  }
}
