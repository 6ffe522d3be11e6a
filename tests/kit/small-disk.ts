// A file system of two megabytes that a test can fill up; needs Linux and root.

import { test } from "bun:test";
import { mkdirSync, rmdirSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { temporaryFolder, type Folder } from "./folder.ts";

interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  fill(): Promise<void>;
  free(): Promise<void>;
}

const canMount = process.platform === "linux" && process.getuid?.() === 0;
if (!canMount) console.log("skipped: tests that mount a file system (that needs root on Linux)");

/** For a mount that this machine refuses to root, too. */
export const NOT_MOUNTED = "skipped: this machine does not mount file systems";

/** A test that mounts a file system; skipped for users who cannot. */
export const mounting = test.skipIf(!canMount);

/** A file system of two megabytes, in a new directory of that name; undefined where it can't be mounted. */
export async function smallDisk(folder: Pick<Folder, "path">, name = "disk"): Promise<SmallDisk | undefined> {
  if (!canMount) return undefined;
  const path = `${folder.path}/${name}`;
  mkdirSync(path);
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", path], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  if (mounted.exitCode !== 0) {
    rmdirSync(path);
    console.log(NOT_MOUNTED);
    return undefined;
  }
  const filler = `${path}/filler`;
  return {
    path,
    async fill() {
      const file = await open(filler, "a");
      const piece = Buffer.alloc(4096, 1);
      try {
        for (;;) await file.write(piece);
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOSPC") throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler),
    async [Symbol.asyncDispose]() {
      Bun.spawnSync(["umount", "-l", path]);
    },
  };
}

/** A test that has such a disk in a folder of its own; skipped where it cannot be mounted. */
export function onSmallDisk(title: string, run: (disk: SmallDisk, folder: Folder) => Promise<void>): void {
  mounting(title, async () => {
    await using folder = await temporaryFolder();
    await using disk = await smallDisk(folder);
    if (disk) await run(disk, folder);
  });
}
