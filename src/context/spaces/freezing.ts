// All spaces of a server at one moment, for a backup: their databases stay unchanged until they are thawed.

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

/** Freezes all or none. Raises `unavailable` for one that is not open, and as `Db.freeze` does. */
export function freezeEach(
  names: readonly string[],
  open: ReadonlyMap<string, OpenSpace>,
  folderOf: (name: string) => string,
): FrozenSpace[] {
  const frozen: FrozenSpace[] = [];
  try {
    for (const name of names) {
      const space = open.get(name);
      if (!space) throw new AppError("unavailable", `${name}: the space was closed`);
      frozen.push(freezeSpace(space, folderOf(name)));
    }
    return frozen;
  } catch (error) {
    thawEach(frozen);
    throw error;
  }
}

export function thawEach(frozen: readonly FrozenSpace[]): void {
  for (const { database } of frozen) database.thaw();
}
