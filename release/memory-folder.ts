// A folder in memory for the files of the tests, if this machine has room for one. The tests make and remove hundreds of thousands of files, which costs
// a disk up to half of their processor time: ext4 without a journal searches past every file that was removed lately before it makes the next.
// A test must hold on both: a run of single tests writes to the disk, and so do the groups whose subject is the disk (lanes.ts).

import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const GIB = 1024 ** 3;
/** More than twice what the tests fill at once. */
const FREE_BYTES_MIN = 4 * GIB;
/** With the programs and browsers beside it. */
const AVAILABLE_BYTES_MIN = 8 * GIB;

/** As the folder of the system has it: some tests run a program as another user. */
const AS_OF_SYSTEM = 0o1777;

interface Room {
  /** Of the folder's file system. */
  readonly free: number;
  /** The memory that programs may still take, within the limit of a container. */
  readonly available: number;
}

export function hasRoom({ free, available }: Room): boolean {
  return free >= FREE_BYTES_MIN && available >= AVAILABLE_BYTES_MIN;
}

/** A new folder in memory, which the caller removes. Undefined where there is none, too little room, or no program may run from it. */
export function memoryFolder(parent = MEMORY): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (!hasRoom({ free: bavail * bsize, available: process.availableMemory() })) return undefined;
    folder = mkdtempSync(join(parent, "cairn-tests-"));
    chmodSync(folder, AS_OF_SYSTEM);
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const runs = Bun.spawnSync([program]).success;
    rmSync(runs ? program : folder, { recursive: true });
    return runs ? folder : undefined;
  } catch {
    // No such folder, or one that is not ours to write or run in.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
