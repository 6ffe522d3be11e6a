// The files in the data directory that belong into a backup, besides the database: those of workspaces, and attachments.

import { closeSync, fstatSync, read } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { chunksOf } from "../../kit/backup/members.ts";
import { absentAsUndefined } from "../../kit/disk/disk.ts";
import type { HeldRoot } from "../../kit/disk/held-directory.ts";
import { PERMISSIONS } from "../../kit/disk/modes.ts";
import type { Source } from "../../kit/disk/tar.ts";
import { AppError } from "../../kit/error.ts";
import { ATTACHMENTS_FOLDER } from "../attachments/build.ts";
import { INCOMING } from "../attachments/attachment-files.ts";
import { FILES_FOLDER, REMOVED } from "../files/directories.ts";
import { isTemporary } from "../files/schema.ts";

export interface DataFile {
  /** Below the data directory, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Lists regular files; links are not followed. Left out: what is being received, replaced or removed. */
export async function* dataFiles(data: string): AsyncGenerator<DataFile> {
  for (const folder of [FILES_FOLDER, ATTACHMENTS_FOLDER])
    for (const name of await namesIn(join(data, folder)))
      if (!name.startsWith(REMOVED) && name !== INCOMING) yield* filesBelow(data, `${folder}/${name}`);
}

async function* filesBelow(data: string, path: string): AsyncGenerator<DataFile> {
  const facts = await absentAsUndefined(lstat(join(data, path)));
  if (facts?.isFile()) yield { path, size: facts.size };
  if (!facts?.isDirectory()) return;
  for (const name of await namesIn(join(data, path)))
    if (!isTemporary(name)) yield* filesBelow(data, `${path}/${name}`);
}

async function namesIn(directory: string): Promise<string[]> {
  return ((await absentAsUndefined(readdir(directory))) ?? []).sort();
}

/** A file that is open for a backup. Disposing of it closes it. */
interface OpenedSource extends Disposable {
  readonly source: Source;
}

const readFrom = promisify(read);

/** Undefined if it is no longer there. The content raises `conflict` if the file becomes shorter meanwhile. */
export function openSource(root: HeldRoot, name: string): OpenedSource | undefined {
  const descriptor = root.open(name);
  if (descriptor === undefined) return undefined;
  const facts = fstatSync(descriptor);
  const close = () => closeSync(descriptor);
  if (!facts.isFile()) return void close();
  const { size, mode } = facts;
  const readAt = async (into: Uint8Array, at: number) =>
    (await readFrom(descriptor, into, 0, into.length, at)).bytesRead;
  return {
    source: { name, size, mode: mode & PERMISSIONS, content: whole(name, size, readAt) },
    [Symbol.dispose]: close,
  };
}

async function* whole(
  name: string,
  size: number,
  readAt: (into: Uint8Array, at: number) => Promise<number>,
): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of chunksOf({ size, read: readAt })) {
    left -= chunk.length;
    yield chunk;
  }
  if (left > 0) throw new AppError("conflict", `${name} was changed while it was read; start another backup`);
}
