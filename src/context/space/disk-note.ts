// For answers of one sentence: says that a recorded change is not in its file on disk, and why. The next change of the space, or the next time that
// it is opened, writes the file.

import type { FileBehind, SpaceDoor } from "./door.ts";

/** Continues `notes.md is at v4`. Empty: the files on disk show the change, or they are not on this machine. */
export async function diskNote(space: SpaceDoor, ...changed: readonly string[]): Promise<string> {
  const text = await problemAt(space, changed);
  return text === undefined ? "" : `; ${text}`;
}

/** Follows `Saved notes.md as v4.`, as a sentence of its own. */
export async function diskSentence(space: SpaceDoor, ...changed: readonly string[]): Promise<string> {
  const text = await problemAt(space, changed);
  return text === undefined ? "" : ` But ${text}.`;
}

async function problemAt(space: SpaceDoor, changed: readonly string[]): Promise<string | undefined> {
  const all = await space.behind();
  if (all.length === 0) return undefined;
  const meant = new Set(changed);
  const behind = all.filter(({ path }) => meant.has(path));
  if (behind.length === 0) return undefined;
  const [{ path, reason }] = behind as [FileBehind];
  const more = behind.length > 1 ? `, and ${behind.length - 1} more` : "";
  return `on disk ${path} is out of date: ${reason}${more}`;
}
