// Snapshots in the object storage: all files of the leader at one moment, so that a node joins without the log from its start, and the log can be
// trimmed. A snapshot may show changes of entries after the one that it names; applying these entries again is harmless, and only with them it is
// complete. Two snapshots are kept.

import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { makeFolders } from "../disk/make-folders.ts";
import { PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { syncDirectory } from "../disk/replace-file.ts";
import { writeWhole } from "../disk/write-whole.ts";
import { AppError, systemCode } from "../error.ts";
import type { ObjectStorage } from "../object-storage/object-storage.ts";
import { randomHex } from "../random.ts";
import { closed } from "../schema.ts";
import { parsedJson } from "../text/parsed-json.ts";
import { isInside } from "./entry.ts";
import { entryKey, entryOf, LOG, manifestKey, snapshotFolder, snapshotOf, SNAPSHOTS } from "./places.ts";

const FORMAT = 1;
const ZSTD_LEVEL = 1;
const CHUNK_BYTES = 1024 * 1024;
const MANIFEST_BYTES_MAX = 64 * 1024 * 1024;
const KEPT = 2;
const TRY_BITS = 64;

const Manifest = closed({
  format: Type.Literal(FORMAT),
  /** Apply the entries after this one. */
  after: Type.Integer({ minimum: 0 }),
  /** The SHA-256 of that entry, hex. */
  hash: Type.String(),
  /** The last entry without which the files do not belong together. */
  complete: Type.Integer({ minimum: 0 }),
  created_at: Type.String(),
  /** The takeovers so far. Their entries are never removed: they stop leaders that were replaced long ago. */
  takeovers: Type.Array(Type.Integer()),
  files: Type.Array(
    closed({
      /** A path in the data directory, with / as separator. */
      file: Type.String(),
      key: Type.String(),
      /** Bytes, unpacked. */
      size: Type.Integer({ minimum: 0 }),
      sha256: Type.String(),
    }),
  ),
});
export type Manifest = Static<typeof Manifest>;

/** A file as it was at one moment. */
export interface SnapshotFile {
  /** A path in the data directory, with / as separator. */
  readonly file: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Reports whether it was removed meanwhile. Then it may fail, and the snapshot does not need it. */
  readonly isGone?: () => boolean;
}

/**
 * Uploads the files that are not gone. The manifest that makes them a snapshot is a step of its own: `finishSnapshot`. Each call has names of its own, because the
 * manifest of an earlier try with the same number, or one of its uploads, may still arrive.
 */
export async function uploadFiles(
  storage: ObjectStorage,
  after: number,
  files: AsyncIterable<SnapshotFile> | Iterable<SnapshotFile>,
  signal: AbortSignal,
): Promise<Manifest["files"]> {
  const uploaded: Manifest["files"] = [];
  const folder = `${snapshotFolder(after)}files-${randomHex(TRY_BITS)}`;
  try {
    for await (const { file, content, isGone } of files) {
      const key = `${folder}/${uploaded.length + 1}.zst`;
      try {
        uploaded.push({ file, key, ...(await uploadPacked(storage, key, content, signal)) });
      } catch (error) {
        if (signal.aborted || isGone?.() !== true) throw error;
      }
    }
  } catch (error) {
    // Nobody else knows their names until a newer snapshot is there.
    if (!signal.aborted) await storage.remove(uploaded.map(({ key }) => key)).catch(() => {});
    throw error;
  }
  return uploaded;
}

async function uploadPacked(
  storage: ObjectStorage,
  key: string,
  content: SnapshotFile["content"],
  signal: AbortSignal,
): Promise<{ size: number; sha256: string }> {
  const hasher = new Bun.CryptoHasher("sha256");
  let size = 0;
  async function* counted() {
    for await (const chunk of content) {
      hasher.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
  const zstd = createZstdCompress({ chunkSize: CHUNK_BYTES, params });
  await pipeline(
    counted(),
    zstd,
    (packed: AsyncIterable<Buffer> | Iterable<Buffer>) => storage.upload(key, chunksOf(packed), signal),
    { signal },
  );
  return { size, sha256: hasher.digest("hex") };
}

async function* chunksOf(content: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Uint8Array> {
  yield* content;
}

/** Writes the manifest, then removes older snapshots and the entries that no snapshot needs. */
export async function finishSnapshot(
  storage: ObjectStorage,
  manifest: Omit<Manifest, "format">,
): Promise<void> {
  const text = JSON.stringify({ format: FORMAT, ...manifest } satisfies Manifest);
  await storage.put(manifestKey(manifest.after), Buffer.from(text));
  await trim(storage);
}

/** Other nodes may have taken over and made snapshots meanwhile, so it relies on nothing that this node remembers. */
async function trim(storage: ObjectStorage): Promise<void> {
  const found: { readonly key: string; readonly after: number; readonly isManifest: boolean }[] = [];
  for await (const { key } of storage.list(SNAPSHOTS)) {
    const place = snapshotOf(key);
    if (place) found.push({ key, ...place });
  }
  const whole = found.flatMap(({ after, isManifest }) => (isManifest ? [after] : [])).sort((a, b) => a - b);
  const oldest = whole.slice(-KEPT)[0];
  if (oldest === undefined) return;
  const newest = whole.at(-1)!;
  const isGone = (after: number) => after < oldest || (after < newest && !whole.includes(after));
  // The manifest first: a snapshot without its files must not look whole.
  const gone = found.filter(({ after }) => isGone(after));
  await storage.remove(gone.flatMap(({ key, isManifest }) => (isManifest ? [key] : [])));
  await storage.remove(gone.flatMap(({ key, isManifest }) => (isManifest ? [] : [key])));
  const known = await newestSnapshot(storage);
  if (!known) return;
  const old: string[] = [];
  for await (const { key } of storage.list(LOG)) {
    const seq = entryOf(key);
    if (seq === undefined || seq > oldest) break;
    if (!known.takeovers.includes(seq)) old.push(entryKey(seq));
  }
  await storage.remove(old);
}

/** Undefined: there is none yet. Raises `unavailable`, `invalid`. */
export async function newestSnapshot(storage: ObjectStorage): Promise<Manifest | undefined> {
  let newest: number | undefined;
  for await (const { key } of storage.list(SNAPSHOTS)) {
    const place = snapshotOf(key);
    if (place?.isManifest) newest = place.after;
  }
  if (newest === undefined) return undefined;
  const bytes = await storage.get(manifestKey(newest), MANIFEST_BYTES_MAX);
  if (bytes === undefined) return newestSnapshot(storage);
  const value = parsedJson(Buffer.from(bytes).toString("utf8"));
  if (Value.Check(Manifest, value) && value.files.every(({ file }) => isInside(file))) return value;
  throw new AppError("invalid", `${manifestKey(newest)} is not a manifest that this version can read`);
}

/** Writes the files of a snapshot into a directory that has none of them. Raises `unavailable`, `invalid`, errors of the disk. */
export async function restoreFiles(
  storage: ObjectStorage,
  directory: string,
  { files }: Manifest,
  signal: AbortSignal,
): Promise<void> {
  for (const { file, key, size, sha256 } of files) {
    const path = join(directory, ...file.split("/"));
    await makeFolders(dirname(path));
    const handle = await open(path, "wx", PRIVATE_FILE_MODE);
    const hasher = new Bun.CryptoHasher("sha256");
    let written = 0;
    const write = async (unpacked: AsyncIterable<Buffer> | Iterable<Buffer>) => {
      for await (const chunk of unpacked) {
        written += chunk.length;
        if (written > size) throw damaged(file);
        hasher.update(chunk);
        await writeWhole(handle, chunk);
      }
    };
    try {
      const packed = storage.read(key, signal);
      await pipeline(packed, createZstdDecompress({ chunkSize: CHUNK_BYTES }), write, { signal });
      if (written !== size || hasher.digest("hex") !== sha256) throw damaged(file);
      await handle.sync();
    } catch (error) {
      throw /^Z(STD)?_/.test(systemCode(error) ?? "") ? damaged(file) : error;
    } finally {
      await handle.close();
    }
    await syncDirectory(dirname(path));
  }
}

function damaged(file: string): AppError {
  return new AppError("invalid", `the snapshot of ${file} in the object storage is damaged`);
}
