// The directories of workspaces on disk, named by the workspace's id, which never changes. The first save creates a directory, and deleting the
// workspace removes it.

import { existsSync, readdirSync, renameSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Clock } from "../../kit/clock.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { RootDirectory } from "../../kit/disk/paths-disk.ts";
import type { Access } from "../workspaces/access.ts";

/** The default folder below the data directory. */
export const FILES_FOLDER = "files";
/** Begins the name of a directory that is being removed. */
export const REMOVED = "removed-";
const UNKNOWN = "unknown-";
const OF_WORKSPACE = /^[1-9][0-9]{0,15}$/;

interface DirectoriesDeps {
  /** The data directory. */
  data: string;
  /** Below it; `FILES_FOLDER` by default. */
  folder?: string;
  access: Pick<Access, "exists" | "highestId">;
  background: Background;
  clock: Clock;
  log: Log;
}

export class Directories {
  readonly #deps: DirectoriesDeps;
  readonly #base: string;

  constructor(deps: DirectoriesDeps) {
    this.#deps = deps;
    this.#base = join(deps.data, deps.folder ?? FILES_FOLDER);
  }

  /** Returns an absolute path, which must not appear in prompts, responses or logs. The directory need not exist. */
  pathOf(workspaceId: number): string {
    return join(this.#base, String(workspaceId));
  }

  rootOf(workspaceId: number): RootDirectory {
    return new RootDirectory(this.pathOf(workspaceId));
  }

  /** The workspaces that have a directory. */
  async existing(): Promise<number[]> {
    const names = await readdir(this.#base).catch(() => []);
    return names.filter((name) => OF_WORKSPACE.test(name)).map(Number);
  }

  /** Renames the directory at once, and removes it in the background, or at the next start after a crash. */
  remove(workspaceId: number): void {
    if (this.#moveAway(String(workspaceId), REMOVED)) this.#clear();
  }

  /**
   * Handles, before anything is served, directories without a workspace. The directory of a deleted workspace is removed. One of a workspace that
   * this database never had (an older copy was restored) is renamed and kept, so that no new workspace inherits it.
   */
  reconcile(): void {
    if (!existsSync(this.#base)) return;
    const { access, log } = this.#deps;
    const highest = access.highestId();
    for (const name of readdirSync(this.#base)) {
      if (!OF_WORKSPACE.test(name) || access.exists(Number(name))) continue;
      if (Number(name) <= highest) {
        this.#moveAway(name, REMOVED);
        log.warn("removing the files of a deleted workspace", { workspace: Number(name) });
      } else {
        this.#moveAway(name, UNKNOWN);
        log.warn("moved aside the files of a workspace that this database never had", {
          workspace: Number(name),
        });
      }
    }
    this.#clear();
  }

  #moveAway(name: string, prefix: string): boolean {
    const from = join(this.#base, name);
    if (!existsSync(from)) return false;
    try {
      renameSync(from, join(this.#base, `${prefix}${name}-${this.#deps.clock.now()}`));
      return true;
    } catch (error) {
      this.#deps.log.error("cannot move files aside", {
        workspace: Number(name),
        error: messageOf(error),
      });
      return false;
    }
  }

  #clear(): void {
    this.#deps.background.run("removal of files", async () => {
      for (const name of readdirSync(this.#base)) {
        if (name.startsWith(REMOVED)) await rm(join(this.#base, name), { recursive: true, force: true });
      }
    });
  }
}
