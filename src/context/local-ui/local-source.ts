// The space of this machine for the pages of the console. It is opened for one piece of work at a time, so that other commands go on working.

import { AppError, notFound } from "../../kit/error.ts";
import type { SpaceSource } from "../console/space-source.ts";
import { holdsLocalSpace, spaceAccessProblem } from "../space/directory.ts";
import type { LentSpace } from "../space/lent.ts";
import type { BrowsedSpace } from "../space/door.ts";

/** Raises `unavailable` when `directory` no longer holds the space, in place of whatever the work raises then. */
export function localSource(lent: LentSpace<BrowsedSpace>, directory: string): SpaceSource {
  const use = <T>(work: (space: BrowsedSpace) => Promise<T>) =>
    lent.use(work).catch((error: unknown) => {
      throw isGone(directory) ? gone(directory) : error;
    });
  return {
    list: () => use(async (space) => ({ spaces: [await space.record()], unopened: [] })),
    use: (_caller, name, work) =>
      use((space) => {
        if (name !== space.name) throw notFound("space", name);
        return work(space);
      }),
  };
}

/** A space that cannot be read is still there. */
function isGone(directory: string): boolean {
  return spaceAccessProblem(directory) === undefined && !holdsLocalSpace(directory);
}

function gone(directory: string): AppError {
  return new AppError(
    "unavailable",
    `The folder ${directory} no longer holds a space: it was moved or deleted. Move it back and reload this page, or end cairn ui with Ctrl+C and start it with --dir and the new folder.`,
  );
}
