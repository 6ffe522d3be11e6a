// Replaces a file so that a crash or a power cut leaves the old content or the new one, never half of it and never an empty file: written
// beside it, brought to the disk, renamed, and the name brought to the disk as well.

import { closeSync, fsyncSync, openSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "./error.ts";
import { PRIVATE_FILE_MODE } from "./modes.ts";
import { randomHex } from "./random.ts";

const NAME_BITS = 48;
/** On Windows a program that looks at the file (a scanner, an indexer) keeps it from being replaced for a moment. */
const RENAME_TRIES_MAX = 10;
const RENAME_WAIT_MS = 20;
const HELD = ["EPERM", "EACCES", "EBUSY"];

interface ReplaceOptions {
  /** Of the new file, less what the umask takes; 0600 by default. */
  readonly mode?: number;
  /** Exactly these permissions, whatever the umask: for a file that had them. */
  readonly keepsMode?: number | undefined;
}

/** Durable when it resolves. The directory exists. Raises what the disk raises; the file is then as it was. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = PRIVATE_FILE_MODE, keepsMode }: ReplaceOptions = {},
): Promise<void> {
  const temporary = `${path}.new-${randomHex(NAME_BITS)}`;
  try {
    const handle = await open(temporary, "wx", mode);
    try {
      if (keepsMode !== undefined) await handle.chmod(keepsMode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renamed(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** As `replaceFile`, with a file that another program made in the same directory. */
export async function replaceWith(made: string, path: string): Promise<void> {
  // It may be read-only, which only Windows minds.
  const handle = await open(made, process.platform === "win32" ? "r+" : "r");
  await handle.sync().finally(() => handle.close());
  await renamed(made, path);
  await syncDirectory(dirname(path));
}

/** Names made, changed or removed in it survive a power cut. Windows has no such thing. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

/** For start-up, where nothing runs beside it. */
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
