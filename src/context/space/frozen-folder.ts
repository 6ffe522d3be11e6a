// The space of a folder at one moment, for a program that copies the folder.

import { placeBelow } from "../../kit/disk/place-below.ts";
import { freezeSpace, type FrozenSpace } from "../spaces/freezing.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import { spaceFilePath } from "../spaces/space-file.ts";
import { sqlite } from "../versioned-store/sqlite/kind.ts";

export interface FrozenFolder extends FrozenSpace {
  /** The paths of the two in a copy of the folder: relative to it, with `/`. */
  readonly places: Readonly<Record<"file" | "database", string>>;
}

/** Waits for writes in several steps. Raises as `Db.freeze` does. */
export async function freezeFolder(space: OpenSpace, directory: string): Promise<FrozenFolder> {
  const { engine } = space;
  await engine.settled();
  await engine.checkpointed();
  while (engine.busy) await engine.busy;
  const places = {
    file: placeBelow(directory, spaceFilePath(directory)),
    database: placeBelow(directory, sqlite.databaseOf(directory)),
  };
  return { ...freezeSpace(space, directory), places };
}
