// Changes of a folder that are recorded, but not in its files, because the disk refused to take them. The version is durable, so this is never a failure to
// record: the answer is printed first, with the files that are behind as data, and then the command exits with 1.

import { join } from "node:path";
import type { FileBehind, SpaceDoor } from "../context/space/door.ts";
import { AppError } from "../kit/error.ts";
import { nextCommand } from "./next-command.ts";
import { plural, shown } from "./tables.ts";

/** The files that a message names. */
const NAMED_MAX = 3;

export interface Done<T> {
  /** With `behind` if there are files that are behind. */
  readonly answer: T;
  readonly behind: readonly FileBehind[];
  /** The folder. */
  readonly place: string;
}

/** Changes a space, and looks whether the files of its folder followed. */
export async function done<T>(space: SpaceDoor, work: (space: SpaceDoor) => Promise<T>): Promise<Done<T>> {
  const answer = await work(space);
  const behind = await space.behind();
  return { answer: behind.length === 0 ? answer : { ...answer, behind }, behind, place: space.place };
}

/** Raises `refused` if a file does not show what was recorded. `flags`: of the command. */
export function requireOnDisk(
  { behind, place }: Done<unknown>,
  flags: Readonly<Record<string, unknown>>,
): void {
  if (behind.length === 0) return;
  const named = behind
    .slice(0, NAMED_MAX)
    .map(({ path, reason }) => `${shown(join(place, path))} (${shown(reason)})`);
  const more = behind.length > NAMED_MAX ? ` and ${behind.length - NAMED_MAX} more` : "";
  throw new AppError(
    "refused",
    `the change is recorded, but ${plural(behind.length, "file on disk is", "files on disk are")} out of date: ${named.join(", ")}${more}; correct the cause, then run ${nextCommand(["space", "show"], [], flags)}, which updates the disk`,
    { behind: behind.map(({ path }) => path) },
  );
}
