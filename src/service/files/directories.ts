// Where the files of workspaces are on the disk: one directory each, named by the workspace's id, which never changes. It comes into
// being with the first file and goes with the workspace.

import { existsSync, readdirSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Background } from "../../kit/background.ts";
import type { Clock } from "../../kit/clock.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { RootDirectory } from "../../kit/paths-disk.ts";
import type { Access } from "../workspaces/access.ts";

const REMOVED = "removed-";
const UNKNOWN = "unknown-";

export interface DirectoriesDeps {
  /** The data directory. */
  data: string;
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
    this.#base = join(deps.data, "files");
  }

  /** Absolute; never for prompts, answers or logs. It need not exist. */
  pathOf(workspaceId: number): string {
    return join(this.#base, String(workspaceId));
  }

  rootOf(workspaceId: number): RootDirectory {
    return new RootDirectory(this.pathOf(workspaceId));
  }

  /** Out of the way at once; its content goes in the background, after a crash at the next start. */
  remove(workspaceId: number): void {
    if (this.#moveAway(String(workspaceId), REMOVED)) this.#clear();
  }

  /**
   * At start, before anything is served: directories without a workspace. One that this database had goes. One that it never had (an
   * older copy of the database was put back) is kept under another name, so that no new workspace inherits it.
   */
  reconcile(): void {
    if (!existsSync(this.#base)) return;
    const { access, log } = this.#deps;
    const highest = access.highestId();
    for (const name of readdirSync(this.#base)) {
      if (!/^[1-9][0-9]{0,15}$/.test(name) || access.exists(Number(name))) continue;
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
