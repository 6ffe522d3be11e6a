// The files that belong into a backup, besides the databases: those of workspaces, attachments, and the documents of memory.

import { closeSync, fstatSync, read } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isReserved } from "../../context/library.ts";
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
  /** Below the directory that was looked through, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Lists regular files; links are not followed. Left out: what is being received, replaced or removed. */
export async function* dataFiles(data: string): AsyncGenerator<DataFile> {
  for (const folder of [FILES_FOLDER, ATTACHMENTS_FOLDER])
    for (const name of await namesIn(join(data, folder)))
      if (!name.startsWith(REMOVED) && name !== INCOMING)
        yield* filesBelow(data, `${folder}/${name}`, isTemporary);
}

/** Lists the regular files in the folder of a space, documents or not; links are not followed. Left out: names that are never documents. */
export async function* documentFiles(directory: string): AsyncGenerator<DataFile> {
  for (const name of await namesIn(directory))
    if (!isReserved(name)) yield* filesBelow(directory, name, isReserved);
}

async function* filesBelow(
  root: string,
  path: string,
  isLeftOut: (name: string) => boolean,
): AsyncGenerator<DataFile> {
  const facts = await absentAsUndefined(lstat(join(root, path)));
  if (facts?.isFile()) yield { path, size: facts.size };
  if (!facts?.isDirectory()) return;
  for (const name of await namesIn(join(root, path)))
    if (!isLeftOut(name)) yield* filesBelow(root, `${path}/${name}`, isLeftOut);
}

async function namesIn(directory: string): Promise<string[]> {
  return ((await absentAsUndefined(readdir(directory))) ?? []).sort();
}

/** A file that is open for a backup. Disposing of it closes it. */
interface OpenedSource extends Disposable {
  readonly source: Source;
}

const readFrom = promisify(read);

/** `name`: in the archive. Undefined if it is no longer there. The content raises `conflict` if the file becomes shorter meanwhile. */
export function openSource(root: HeldRoot, path: string, name = path): OpenedSource | undefined {
  const descriptor = root.open(path);
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
