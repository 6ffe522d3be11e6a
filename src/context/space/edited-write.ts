// Writes an edited document over the text that the edit began with, and over no other.

import type { Written } from "../files/files.ts";
import { fileError } from "../versioned-store/file-error.ts";
import type { ReadFile, SpaceDoor } from "./door.ts";

/**
 * Raises `stale` if someone else changed the document since it was read, and what reading and writing raise. A manual edit has no version to
 * compare, so its content is compared before the engine records it as one.
 */
export async function writeEdited(
  space: Pick<SpaceDoor, "read" | "history" | "write">,
  { path, version, bytes }: Pick<ReadFile, "path" | "version" | "bytes">,
  content: Uint8Array,
): Promise<Written> {
  if (version !== null) return space.write(path, content, version);
  const now = await space.read(path);
  if (!Buffer.from(now.bytes).equals(bytes))
    throw fileError("stale", path, "it has changed since it was opened", { current: now.version });
  return space.write(path, content, now.version ?? (await versionOfEdit(space, path)));
}

/** Returns the version that the engine records a manual edit as before the next write. Counting goes on after a deleted or destroyed version. */
export async function versionOfEdit(space: Pick<SpaceDoor, "history">, path: string): Promise<number> {
  const [newest] = (await space.history(path)).versions;
  return (newest?.version ?? 0) + 1;
}
