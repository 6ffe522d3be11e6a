// The files of a node that follows: entries are applied to them in order. Each part can be applied again after a crash in the middle, because it
// says what is where, not what changes.

import { existsSync } from "node:fs";
import { open, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolders } from "../disk/make-folders.ts";
import { PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { syncDirectory } from "../disk/replace-file.ts";
import { writeWhole } from "../disk/write-whole.ts";
import { AppError, systemCode } from "../error.ts";
import { filesOfDatabase } from "../storage/db-file.ts";
import type { AppendPart, Entry, PagesPart } from "./entry.ts";
import { Outbox } from "./outbox.ts";

/**
 * Applies entries that follow one another. Durable when it resolves. Raises errors of the disk. `isComplete`: all files before these entries are
 * there; if one is missing, raises `not_found`.
 */
export async function applyEntries(
  directory: string,
  entries: readonly Entry[],
  { isComplete = false }: { readonly isComplete?: boolean } = {},
): Promise<void> {
  // Each page and each file is written once, whatever the number of entries.
  const merged = new Outbox();
  for (const part of entries.flatMap(({ parts }) => parts)) merged.add(part);
  for (const part of merged.take()) {
    const path = join(directory, ...part.file.split("/"));
    if (part.kind === "remove") {
      await removeDurably(path);
      continue;
    }
    if (isComplete && !isWhole(part) && !existsSync(path))
      throw new AppError("not_found", `${path}: not found`);
    await inFile(path, (handle) =>
      part.kind === "pages" ? writePages(handle, part) : writeEnd(handle, part),
    );
  }
}

/** Reports whether it makes the file, and changes none. */
function isWhole(part: PagesPart | AppendPart): boolean {
  if (part.kind === "append") return part.at === 0;
  return [...part.pages.keys()].filter((number) => number <= part.size).length === part.size;
}

async function writePages(handle: FileHandle, { pageSize, size, pages }: PagesPart): Promise<void> {
  for (const [number, page] of pages)
    if (number <= size) await writeWhole(handle, page, (number - 1) * pageSize);
  await handle.truncate(size * pageSize);
}

async function writeEnd(handle: FileHandle, { at, content }: AppendPart): Promise<void> {
  await writeWhole(handle, content, at);
  await handle.truncate(at + content.length);
}

async function inFile(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const { handle, isNew } = await opened(path);
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (isNew) await syncDirectory(dirname(path));
}

async function opened(path: string): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }> {
  try {
    return { handle: await open(path, "r+"), isNew: false };
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  await makeFolders(dirname(path));
  return { handle: await open(path, "wx+", PRIVATE_FILE_MODE), isNew: true };
}

/** Puts what `build` has in the place of these names in the directory, and removes `build`. Not in one step: the caller notes that it is under way. */
export async function replaceNames(
  build: string,
  directory: string,
  names: readonly string[],
): Promise<void> {
  // A WAL that stayed would be applied to the new file.
  for (const path of names.flatMap((name) => filesOfDatabase(join(directory, name))))
    await removeDurably(path);
  for (const name of await readdir(build)) await rename(join(build, name), join(directory, name));
  await rm(build, { recursive: true });
  await syncDirectory(directory);
}

export async function removeDurably(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  const parent = dirname(path);
  if (await stat(parent).catch(() => undefined)) await syncDirectory(parent);
}
