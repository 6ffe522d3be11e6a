// Keeps a text index equal to the files on disk: finds the files that differ from what was indexed, by their signatures, and reads only those. Runs
// in a worker of a server, or in the process of a command.

import { closeSync, fstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { readAll } from "../../kit/disk/read-all.ts";
import { systemClock } from "../../kit/clock.ts";
import { HeldRoot, lstatOf } from "../../kit/disk/held-directory.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { DOCUMENT_BYTES_MAX } from "../versioned-store/document-files.ts";
import { nameOnDisk } from "../versioned-store/sqlite/disk-name.ts";
import { mayChangeUnseen } from "../versioned-store/sqlite/signature.ts";
import { lookOf } from "../versioned-store/sqlite/fingerprint.ts";
import { glanceAt } from "../versioned-store/sqlite/glance.ts";
import type { FileFacts } from "../versioned-store/sqlite/look-job.ts";
import { walkTogether, type Lookers } from "../versioned-store/sqlite/walk-together.ts";
import type { IndexStore, Signature } from "./index-store.ts";

/** The files indexed in one transaction. */
const FILES_PER_COMMIT = 200;
const BYTES_PER_COMMIT = 8 * 1024 * 1024;
const NUL = 0;
/** Text has no NUL byte at its start; other data nearly always has one. */
const BINARY_LOOK_BYTES = 8_192;

/** A file whose signature is not that of the index. */
interface Stale {
  readonly path: string;
  /** As on disk. */
  readonly name: string;
}

interface Differences {
  readonly stale: readonly Stale[];
  /** Ids of files that are gone. */
  readonly gone: readonly number[];
  /** How many files were looked at. */
  readonly files: number;
}

/** Compares the whole tree with the index; with its fingerprint first, which spares the comparison of every file. */
export async function differences(
  directory: string,
  store: IndexStore,
  lookers?: Lookers,
): Promise<Differences> {
  const now = systemClock.now();
  const glance = await glanceAt(directory, now, { lookers });
  if (glance !== undefined && glance.fingerprint === store.fingerprint())
    return { stale: [], gone: [], files: glance.files };
  const entries = [...(await walkTogether(directory, new HeldRoot(directory), "", lookers))];
  const fingerprint = glance?.fingerprint ?? (await lookOf(entries, now))?.fingerprint;
  const found = entries.filter((entry) => "stats" in entry);
  const files = found.length;
  if (glance === undefined && fingerprint !== undefined && fingerprint === store.fingerprint())
    return { stale: [], gone: [], files };
  const known = store.known();
  const stale: Stale[] = [];
  for (const { path, name, stats } of found) {
    const seen = known.get(path);
    if (!seen || !isSame(seen, stats)) stale.push({ path, name });
    known.delete(path);
  }
  const gone = [...known.values()].map(({ id }) => id);
  if (fingerprint !== undefined && stale.length + gone.length === 0) store.setFingerprint(fingerprint);
  return { stale, gone, files };
}

/** As `differences`, for paths that are known to have changed. */
export function differencesAt(directory: string, store: IndexStore, paths: readonly string[]): Differences {
  const stale: Stale[] = [];
  const gone: number[] = [];
  for (const path of paths) {
    const row = store.find(path);
    const name = nameOnDisk(directory, path);
    const stats = lstatOf(join(directory, name));
    if (!stats?.isFile()) {
      if (row) gone.push(row.id);
    } else if (!row || !isSame(row, stats)) stale.push({ path, name });
  }
  return { stale, gone, files: paths.length };
}

/** Brings the index up to date until `isOver`. Returns whether it is done; otherwise call it again with new differences. */
export function bring(
  store: IndexStore,
  directory: string,
  { stale, gone }: Differences,
  isOver: () => boolean,
): boolean {
  const root = new HeldRoot(directory);
  if (gone.length > 0) store.write(() => gone.forEach((id) => forget(store, id)));
  for (let at = 0; at < stale.length;) {
    store.write(() => {
      let bytes = 0;
      for (
        let files = 0;
        files < FILES_PER_COMMIT && bytes < BYTES_PER_COMMIT && at < stale.length;
        files += 1
      )
        bytes += index(store, root, stale[at++]!);
    });
    if (at < stale.length && isOver()) return false;
  }
  return true;
}

/** Returns the bytes read. */
function index(store: IndexStore, root: HeldRoot, { path, name }: Stale): number {
  const read = readText(root, name);
  // Another search may have indexed it meanwhile.
  const row = store.find(path);
  if (!read) {
    if (row) forget(store, row.id);
    return 0;
  }
  const { text, digest, bytes, ...signature } = read;
  if (row?.digest === digest) {
    store.update({ id: row.id, digest, ...signature });
    return bytes;
  }
  if (row) {
    store.dropWords(row.id);
    store.update({ id: row.id, digest, ...signature });
  }
  const id = row?.id ?? store.insert({ path, digest, ...signature });
  if (text !== undefined) store.addWords(id, text);
  return bytes;
}

function forget(store: IndexStore, id: number): void {
  store.dropWords(id);
  store.remove(id);
}

interface Read extends Signature {
  /** Undefined: not text, or too large. */
  readonly text: string | undefined;
  /** Empty without a text. */
  readonly digest: string;
  readonly bytes: number;
}

/** Undefined: no regular file, or not readable. Follows no links. */
export function readText(root: HeldRoot, name: string): Read | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = root.open(name);
    if (descriptor === undefined) return undefined;
    const before = systemClock.now();
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const signature = signatureOf(stats, before);
    if (stats.size > DOCUMENT_BYTES_MAX) return { ...signature, text: undefined, digest: "", bytes: 0 };
    const bytes = readAll(descriptor, stats.size);
    const text = isBinary(bytes) ? undefined : decodeUtf8(bytes);
    const digest = text === undefined ? "" : Bun.hash(bytes).toString(36);
    return { ...signature, text, digest, bytes: bytes.length };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_LOOK_BYTES).includes(NUL);
}

/** A time that a later edit could repeat is stored as none, so that the file is read again. */
function signatureOf(stats: Stats, now: number): Signature {
  const { size, mtimeMs, ctimeMs: changed, ino: inode } = stats;
  return { size, modified: mayChangeUnseen(stats, now) ? -1 : mtimeMs, changed, inode };
}

function isSame(known: Signature, { size, mtimeMs, ctimeMs, ino }: FileFacts): boolean {
  return (
    known.modified === mtimeMs && known.size === size && known.changed === ctimeMs && known.inode === ino
  );
}
