// Removes the folder of a space in two steps: a rename, which takes all of it or nothing, and the deletion, which the next start ends after a crash.

import { readdirSync, renameSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { problemWithoutPlace } from "../../kit/disk/disk.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Audit } from "../audit/audit.ts";
import type { Events } from "../events/events.ts";

const REMOVED_PREFIX = ".removed-";

/** Raises `refused` unless the caller repeats the name. */
export function requireConfirmed(name: string, confirm: string | undefined): void {
  if (confirm === name) return;
  throw new AppError(
    "refused",
    `deleting a space removes every version of every file; confirm with ?confirm=${name}`,
  );
}

/** Deletes, at start, what a crash or the disk left behind. */
export function clearRemoved(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(REMOVED_PREFIX)) rmSync(join(directory, name), { recursive: true, force: true });
}

/** Returns the folder's new place. Raises `unavailable` after `undo`; then the folder is where it was. */
export function putAside(directory: string, name: string, now: number, undo: () => void): string {
  const aside = join(directory, `${REMOVED_PREFIX}${name}-${now}`);
  try {
    renameSync(join(directory, name), aside);
    return aside;
  } catch (error) {
    undo();
    throw new AppError(
      "unavailable",
      `the folder of the space ${name} cannot be removed: ${problemWithoutPlace(error)}; close the programs that use its files, then try again`,
    );
  }
}

interface Forgetting {
  readonly events: Pick<Events, "forgetSpace">;
  readonly audit: Pick<Audit, "forgetSpace">;
  readonly log: Log;
}

/** Never raises: the space is gone, and a new one of that name replaces what is left. */
export async function forgetSpace({ events, audit, log }: Forgetting, name: string): Promise<void> {
  for (const result of await Promise.allSettled([events.forgetSpace(name), audit.forgetSpace(name)]))
    if (result.status === "rejected")
      log.warn("cannot forget a removed space yet", { error: messageOf(result.reason) });
}

/** Never raises: the space is gone, and the next start deletes the rest. */
export async function deleteAside(aside: string, log: Log): Promise<void> {
  await rm(aside, { recursive: true, force: true }).catch((error: unknown) =>
    log.warn("cannot delete the files of a removed space; the next start will", { error: messageOf(error) }),
  );
}
