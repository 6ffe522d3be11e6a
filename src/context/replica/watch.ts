// Watches the folder of a copy and reports paths that may have changed, gathered for a moment, because editors save in several steps.

import { watch, type FSWatcher } from "node:fs";
import { sep } from "node:path";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";

/** Reports this long after the last change, */
const QUIET_MS = 60;
/** but no later than this after the first. */
const GATHER_MS_MAX = 500;
/** With more paths than this, everything is looked at. */
const PATHS_MAX = 200;
/** Our own folders, which every cycle writes. */
const OWN = /^\.(?:cairn|sync)(?:\/|$)/;

/** `everything`: too many paths, or the system lost some. */
export type Changed = ReadonlySet<string> | "everything";

export class TreeWatch {
  readonly #tell: (changed: Changed) => void;
  readonly #log: Log;
  #watcher: FSWatcher | undefined;
  #paths = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest: ReturnType<typeof setTimeout> | undefined;

  constructor(log: Log, tell: (changed: Changed) => void) {
    this.#log = log;
    this.#tell = tell;
  }

  /** Reports whether the system watches the folder. Without, the daemon looks at it regularly. */
  get isWatching(): boolean {
    return this.#watcher !== undefined;
  }

  start(directory: string): void {
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
    if (OWN.test(path)) return;
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
    this.#log.warn("cannot watch the folder; looking at it every minute instead", {
      error: messageOf(error),
    });
  }
}
