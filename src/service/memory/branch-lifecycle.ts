// Memory in the life of a workspace: a clone gets a branch of its own with the documents that were bound to the original; the branch of a deleted
// workspace is deleted too, and its versions stay.

import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { MemorySpace } from "./space.ts";

/** A document of the original's branch, and its path in the clone's. */
export interface CopiedDocument {
  readonly from: string;
  readonly to: string;
}

/** Soft-deletes every document below a branch. A failure is logged; what is left can be deleted by hand. */
export async function deleteBranch(space: MemorySpace, branch: string, log: Log): Promise<void> {
  if (space.obstacle) return;
  try {
    await space.use(async (door) => {
      for (const { path, version } of await door.list({ prefix: branch }))
        if (version !== null) await door.remove(path, undefined);
    });
  } catch (error) {
    log.warn("cannot delete the memory of a deleted workspace", { branch, error: messageOf(error) });
  }
}

/** Copies documents that the clone does not have yet. One that cannot be copied is logged, and its prompt says that it is missing. */
export async function copyDocuments(
  space: MemorySpace,
  documents: readonly CopiedDocument[],
  log: Log,
): Promise<void> {
  for (const { from, to } of documents) {
    try {
      await space.use(async (door) => {
        const { bytes } = await door.read(from);
        await door.write(to, bytes, null, { message: `copied from ${from}`.slice(0, 200) });
      });
    } catch (error) {
      log.warn("cannot copy a bound document to the clone of a workspace", {
        from,
        to,
        error: messageOf(error),
      });
    }
  }
}
