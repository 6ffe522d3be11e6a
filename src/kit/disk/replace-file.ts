// Replaces a file durably and atomically: after a crash or a power cut it has the old or the new content, never a part. Writes a file beside
// it, syncs it, renames it, and syncs the directory.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../error.ts";
import { PRIVATE_FILE_MODE } from "./modes.ts";
import { randomHex } from "../random.ts";

const NAME_BITS = 48;
/** On Windows, a scanner or indexer that reads the file briefly blocks its replacement. */
const RENAME_TRIES_MAX = 10;
const RENAME_WAIT_MS = 20;
const HELD = ["EPERM", "EACCES", "EBUSY"];

interface ReplaceOptions {
  /** The mode of the new file; 0600 by default. */
  readonly mode?: number;
  /** Exactly these permissions, whatever the umask: for a file that had them. */
  readonly keepsMode?: number | undefined;
}

/** Durable when it resolves. The directory must exist. Raises errors of the disk, and then leaves the file unchanged. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = PRIVATE_FILE_MODE, keepsMode }: ReplaceOptions = {},
): Promise<void> {
  const temporary = `${path}.new-${randomHex(NAME_BITS)}`;
  try {
    await createDurably(temporary, content, { mode, keepsMode });
    await renamed(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Creates a file whose content is durable; its name is, once the caller syncs the directory. `flags`: must create it exclusively. */
export async function createDurably(
  path: string,
  content: string | Uint8Array,
  {
    mode = PRIVATE_FILE_MODE,
    keepsMode,
    flags = "wx",
  }: ReplaceOptions & { readonly flags?: string | number } = {},
): Promise<void> {
  const handle = await open(path, flags, mode);
  try {
    if (keepsMode !== undefined) await handle.chmod(keepsMode);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Synchronous, for a small private file of the one process that writes it: readers see the old or the new content. `isDurable`: also after a
 * power cut. Raises errors of the disk, and then leaves the file unchanged.
 */
export function replaceFileNow(
  path: string,
  content: string | Uint8Array,
  { isDurable }: { isDurable: boolean },
): void {
  const unfinished = `${path}.new`;
  try {
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, content, { mode: PRIVATE_FILE_MODE, flag: "wx", flush: isDurable });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  if (isDurable) syncDirectoryNow(dirname(path));
}

/** As `replaceFile`, with a file that another program created in the same directory. */
export async function replaceWith(made: string, path: string): Promise<void> {
  // Only Windows refuses to replace a read-only file.
  const handle = await open(made, process.platform === "win32" ? "r+" : "r");
  await handle.sync().finally(() => handle.close());
  await renamed(made, path);
  await syncDirectory(dirname(path));
}

/** Makes created, renamed and deleted names in it durable. Windows cannot sync a directory. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

/** Synchronous, for start-up only. */
export function syncDirectoryNow(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function renamed(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const isHeld = process.platform === "win32" && HELD.includes(systemCode(error) ?? "");
      if (!isHeld || tries === RENAME_TRIES_MAX) throw error;
      await sleep(RENAME_WAIT_MS);
    }
  }
}
