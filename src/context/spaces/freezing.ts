// The spaces of a server at one moment: their databases stay unchanged until they are thawed.

import { AppError } from "../../kit/error.ts";
import type { FrozenFile } from "../../kit/storage/frozen-copy.ts";
import type { Head } from "../versioned-store/engine.ts";
import type { Totals } from "../versioned-store/schema.ts";
import type { OpenSpace } from "./open-space.ts";
import { spaceFileBytes } from "./space-file.ts";

/** A space as it was at one moment. */
export interface FrozenSpace {
  readonly name: string;
  readonly head: Head;
  readonly totals: Totals;
  /** The bytes of its `space.yaml`. */
  readonly file: Uint8Array;
  readonly database: FrozenFile;
}

/** `folder`: of the space. Raises as `Db.freeze` does. */
export function freezeSpace({ name, engine, file }: OpenSpace, folder: string): FrozenSpace {
  const settings = spaceFileBytes(folder, file);
  return { name, head: engine.head(), totals: engine.totals(), file: settings, database: engine.freeze() };
}

/**
 * For a backup, all spaces must be open, and none can be removed until they are thawed. A snapshot for other nodes has the open ones, and a space can
 * be removed: the log of the nodes has the removal.
 */
export type CopyFor = "backup" | "nodes";

/** The copy that is being made of the spaces, if there is one. */
export class Freezing {
  #now: { readonly copyFor: CopyFor; readonly spaces: readonly FrozenSpace[] } | undefined;

  /** Freezes all or none. Raises `unavailable` for one that a backup lacks, and as `Db.freeze` does. */
  freeze(
    copyFor: CopyFor,
    names: readonly string[],
    open: ReadonlyMap<string, OpenSpace>,
    folderOf: (name: string) => string,
  ): FrozenSpace[] {
    const frozen: FrozenSpace[] = [];
    try {
      for (const name of names) {
        const space = open.get(name);
        if (space) frozen.push(freezeSpace(space, folderOf(name)));
        else if (copyFor === "backup") throw new AppError("unavailable", `${name}: the space was closed`);
      }
      this.#now = { copyFor, spaces: frozen };
      return frozen;
    } catch (error) {
      thawEach(frozen);
      throw error;
    }
  }

  thaw(frozen: readonly FrozenSpace[]): void {
    thawEach(frozen);
    this.#now = undefined;
  }

  /** Raises `conflict`. */
  requireRemovable(): void {
    if (this.#now?.copyFor === "backup")
      throw new AppError("conflict", "a backup is running; try again when it has finished");
  }

  /** Ends the copy of this space, whose database can be closed then. */
  async release(name: string): Promise<void> {
    for (const { name: other, database } of this.#now?.spaces ?? [])
      if (other === name) await database.release();
  }
}

function thawEach(frozen: readonly FrozenSpace[]): void {
  for (const { database } of frozen) database.thaw();
}
