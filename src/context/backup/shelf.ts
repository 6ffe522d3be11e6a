// The directory in which admins keep backups: how files there are called, and which there are.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { rfc3339 } from "../../kit/clock.ts";
import { accessProblem } from "../../kit/disk/disk.ts";

const EXTENSION = ".tar.zst";
const SHOWN_MAX = 100;
/** Several of one second are numbered. */
const NAME = /^cairn-backup-\d{8}T\d{6}Z(?:-\d+)?\.tar\.zst$/;

interface Archive {
  readonly file: string;
  readonly bytes: number;
  readonly written_at: string;
}

export interface Shelf {
  /** Empty: none is set. */
  readonly directory: string;
  /** Newest first. */
  readonly archives: readonly Archive[];
  /** Why the directory cannot be read. */
  readonly problem: string | undefined;
}

/** `cairn-backup-20261121T062000Z.tar.zst`; if there is one already, `cairn-backup-20261121T062000Z-2.tar.zst`. */
export function nameAt(time: number, isTaken: (name: string) => boolean): string {
  const start = `cairn-backup-${rfc3339(time).replace(/\.\d+/, "").replaceAll(/[-:]/g, "")}`;
  let name = start + EXTENSION;
  for (let number = 2; isTaken(name); number++) name = `${start}-${number}${EXTENSION}`;
  return name;
}

/** The first of a second is older than the numbered ones. */
function byAge(a: string, b: string): number {
  return stemOf(a) < stemOf(b) ? -1 : 1;
}

function stemOf(name: string): string {
  return name.slice(0, -EXTENSION.length);
}

export async function shelfOf(directory: string): Promise<Shelf> {
  if (directory === "") return { directory, archives: [], problem: undefined };
  try {
    const names = (await readdir(directory)).filter((name) => NAME.test(name)).sort(byAge);
    const archives: Archive[] = [];
    for (const name of names.toReversed().slice(0, SHOWN_MAX)) {
      const file = join(directory, name);
      const { size, mtimeMs } = await stat(file);
      archives.push({ file, bytes: size, written_at: rfc3339(mtimeMs) });
    }
    return { directory, archives, problem: undefined };
  } catch (error) {
    return { directory, archives: [], problem: accessProblem(error) };
  }
}
