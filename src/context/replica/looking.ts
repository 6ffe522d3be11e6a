// Finds what changed in the local space, and records manual edits and deletes of the working tree as versions, so that everything that is sent
// has a version first.

import { foldedPath, pathProblem, type DocumentPath } from "../../kit/text/paths.ts";
import { AppError } from "../../kit/error.ts";
import type { FileEngine, Operation, SpaceEngine } from "../versioned-store/engine.ts";
import { problemOf, refusalCodeOf } from "../versioned-store/file-error.ts";
import type { FileRecord, RefusalCode } from "../versioned-store/schema.ts";
import { isScratch } from "./scratch-names.ts";

/** The limits of one commit. A single file may be larger. */
const FILES_PER_COMMIT_MAX = 200;
const BYTES_PER_COMMIT_MAX = 8 * 1024 * 1024;

/** A live local version. */
export interface LocalFile {
  readonly version: number;
  readonly hash: string;
}

/** A file that cannot become a version. */
export interface RefusedFile {
  readonly path: string;
  readonly code: RefusalCode;
  readonly reason: string;
}

/** The local space before its edits are recorded. */
export interface Found {
  readonly live: Map<string, LocalFile>;
  /** Edited or new in the working tree. */
  readonly edited: Set<string>;
  /** The hashes of those that are new. */
  readonly created: Map<string, string>;
  /** Live, but their file is gone. */
  readonly missing: Set<string>;
  readonly refused: RefusedFile[];
}

/**
 * `paths`: names from the disk, of files or of directories with everything below; undefined: everything. Names that no document can have are left to
 * the next look at everything, which reports them. `grace`: a missing file counts as deleted if it is still missing after this wait.
 */
export async function look(
  engine: FileEngine,
  paths: Iterable<string> | undefined,
  grace: () => Promise<void> = () => Promise.resolve(),
): Promise<Found> {
  const found: Found = {
    live: new Map(),
    edited: new Set(),
    created: new Map(),
    missing: new Set(),
    refused: [],
  };
  const behind = new Set<string>(engine.treeBehind());
  const records: FileRecord[] = [];
  if (paths === undefined) records.push(...(await engine.list()));
  else
    for (const path of paths)
      if (pathProblem(path) === undefined)
        records.push(...(await engine.list({ prefix: path as DocumentPath })));
  for (const record of records) sort(found, record, behind);
  if (found.missing.size > 0) await grace();
  for (const path of found.missing)
    if (!(await isGone(engine, path as DocumentPath, found))) found.missing.delete(path);
  return found;
}

function sort(found: Found, record: FileRecord, behind: ReadonlySet<string>): void {
  const { path, version, hash, state, refused } = record;
  if (version !== null && state !== "untracked" && state !== "deleted")
    found.live.set(path, { version, hash });
  // A file that the disk refused to write says nothing about what the person did.
  if (behind.has(path)) return;
  if (state === "missing") found.missing.add(path);
  else if (state === "modified") found.edited.add(path);
  else if (state === "untracked" || refused?.code === "clash") {
    if (isScratch(path)) return;
    found.edited.add(path);
    found.created.set(path, hash);
  } else if (refused) found.refused.push({ path, ...refused });
}

/** Reports whether the file was deleted. A directory that cannot be read hides its files, which is no delete. */
async function isGone(engine: FileEngine, path: DocumentPath, found: Found): Promise<boolean> {
  try {
    return (await engine.copy(path)) === undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    found.refused.push({ path, code: refusalCodeOf(error), reason: problemOf(error) });
    return false;
  }
}

/**
 * Records the edits and deletes that `found` names, and brings `found.live` up to date. A name that differs from a deleted one only in letter case is
 * recorded in the same commit.
 */
export async function recordEdits(engine: SpaceEngine, found: Found, author: string): Promise<void> {
  const deletes = [...found.missing].map((path): Operation => ({
    op: "delete",
    path: path as DocumentPath,
    expected: found.live.get(path)!.version,
  }));
  const folded = new Set([...found.missing].map(foldedPath));
  const isRenamed = (path: string) => folded.has(foldedPath(path));
  const edited = [...found.edited].sort((a, b) => Number(isRenamed(b)) - Number(isRenamed(a)));
  let operations = deletes;
  let [files, bytes] = [0, 0];
  for (const path of edited) {
    const put = await putOf(engine, path as DocumentPath, found);
    if (!put) continue;
    operations.push(put);
    files += 1;
    bytes += put.content.length;
    if (files < FILES_PER_COMMIT_MAX && bytes < BYTES_PER_COMMIT_MAX) continue;
    await commit(engine, operations, author, found);
    [operations, files, bytes] = [[], 0, 0];
  }
  await commit(engine, operations, author, found);
}

async function putOf(engine: FileEngine, path: DocumentPath, found: Found) {
  try {
    const copy = await engine.copy(path);
    return copy && ({ op: "put", path, content: copy.bytes, unlessSame: true } as const);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    found.refused.push({ path, code: refusalCodeOf(error), reason: problemOf(error) });
    return undefined;
  }
}

async function commit(
  engine: SpaceEngine,
  operations: readonly Operation[],
  author: string,
  found: Found,
): Promise<void> {
  if (operations.length === 0) return;
  const { refused } = await engine.applyEach({ operations, author });
  for (const { path, error } of refused) {
    if (error.code === "stale") continue;
    found.refused.push({ path, code: refusalCodeOf(error), reason: problemOf(error) });
  }
  for (const { path } of operations) {
    const live = await engine.live(path);
    if (live) found.live.set(path, { version: live.version, hash: live.hash });
    else found.live.delete(path);
  }
}
