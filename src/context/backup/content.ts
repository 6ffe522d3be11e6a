// Verifies the content of an unpacked backup, file by file: databases, the content of every version against its hash, counts, the audit chain.
// Raises the first problem.

import { join, sep } from "node:path";
import { turnOfOthers } from "../../kit/clock.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import { openDatabase, type Db } from "../../kit/storage/db.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { plural } from "../../kit/text/amounts.ts";
import { acknowledgedPart } from "../audit/audit.ts";
import { checkedNow, type Baseline } from "../audit/verify.ts";
import { loadServerConfig } from "../config/config.ts";
import { decode } from "../versioned-store/coding.ts";
import { FILE_BYTES_CEILING } from "../versioned-store/schema.ts";
import { headText } from "../versioned-store/head.ts";
import { readSpaceFile } from "../spaces/space-file.ts";
import type { Manifest, SpaceInBackup } from "./schema.ts";
import { integrityStore, spaceContentStore, type SpaceContentStore, type StoredBlob } from "./store.ts";
import { AUDIT_MEMBER, CONFIG_MEMBER, DATABASE_MEMBER, spaceMembers } from "./unpack.ts";

/** The contents checked between two checks for cancellation. */
const BLOBS_PER_PAUSE = 64;

/**
 * Returns the problem with the audit chain, which may have been broken on the server already; undefined: none. Raises `invalid` for any other
 * problem, and the reason of `signal`. `onBytes`: the bytes of contents checked since the last call.
 */
export async function checkContent(
  directory: string,
  manifest: Manifest,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<string | undefined> {
  named(directory, CONFIG_MEMBER, () => loadServerConfig(directory));
  const acknowledged = await withDatabase(directory, DATABASE_MEMBER, acknowledgedPart);
  for (const space of manifest.spaces) {
    const { file, database } = spaceMembers(space.name);
    const { name } = named(directory, file, () => readSpaceFile(join(directory, file)));
    if (name !== space.name) throw wrong(file, `belongs to the space "${name}"`);
    await withDatabase(directory, database, async (db) => {
      const store = spaceContentStore(db);
      checkCounts(database, store, space);
      checkReferences(database, store);
      await checkBlobs(database, store, signal, onBytes);
    });
  }
  return auditProblem(join(directory, AUDIT_MEMBER), manifest, acknowledged);
}

async function withDatabase<T>(
  directory: string,
  member: string,
  look: (db: Db) => T | Promise<T>,
): Promise<T> {
  const db = named(directory, member, () => openDatabase(join(directory, member)));
  try {
    const store = integrityStore(db);
    named(directory, member, () => {
      const found = store.integrity.get()?.integrity_check;
      if (found !== "ok") throw new AppError("invalid", `the database is damaged: ${found}`);
      const stray = store.foreignKeys.get();
      if (stray)
        throw new AppError(
          "invalid",
          `the database is damaged: a row of ${stray.table} has a dangling reference`,
        );
    });
    return await look(db);
  } finally {
    db.close();
  }
}

function checkCounts(member: string, store: SpaceContentStore, said: SpaceInBackup): void {
  const space = store.space.get();
  if (!space) throw wrong(member, "contains no space");
  const { files, bytes } = store.totals.get()!;
  const { versions } = store.versions.get()!;
  const head = headText(space);
  const counted = { head, files, bytes, versions };
  for (const name of ["head", "files", "bytes", "versions"] as const)
    if (said[name] !== counted[name])
      throw wrong(member, `${name}: ${counted[name]}, but the manifest says ${said[name]}`);
  for (const name of ["files", "bytes", "versions"] as const)
    if (space[name] !== counted[name])
      throw wrong(member, `${name}: ${counted[name]}, but its running total is ${space[name]}`);
  const { seq } = store.lastChange.get()!;
  if (seq !== space.seq) throw wrong(member, `its log ends with change ${seq}, but its head is ${space.seq}`);
}

function checkReferences(member: string, store: SpaceContentStore): void {
  const lost = store.versionWithoutBlob.get() ?? store.liveWithoutContent.get();
  if (lost) throw wrong(member, `the content of v${lost.version} of ${lost.path} is missing or wrong`);
  const miscounted = store.miscountedBlob.get();
  if (miscounted) throw wrong(member, `the use count of content ${miscounted.hash} is wrong`);
}

async function checkBlobs(
  member: string,
  store: SpaceContentStore,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<void> {
  let checked = 0;
  for (let blob = store.nextBlob.get(0); blob; blob = store.nextBlob.get(blob.id)) {
    if (!isWhole(blob)) {
      const user = store.userOfBlob.get(blob.id);
      const whose = user ? `v${user.version} of ${user.path}` : blob.hash;
      throw wrong(member, `the content of ${whose} is damaged: its hash does not match`);
    }
    onBytes(blob.content.length);
    checked += 1;
    if (checked % BLOBS_PER_PAUSE !== 0) continue;
    await turnOfOthers();
    signal.throwIfAborted();
  }
}

function isWhole(blob: StoredBlob): boolean {
  try {
    if (blob.size > FILE_BYTES_CEILING) return false;
    const bytes = decode(blob);
    return bytes.length === blob.size && sha256Hex(bytes) === blob.hash;
  } catch {
    return false;
  }
}

function auditProblem(path: string, { audit }: Manifest, baseline: Baseline | undefined): string | undefined {
  const anchor = { entries: audit.entries, hash: audit.head };
  const { ok, line, problem, last } = checkedNow(path, { anchor, baseline });
  if (!ok) return `${AUDIT_MEMBER}: line ${line}: ${problem}`;
  if (last.seq === audit.entries) return undefined;
  return `${AUDIT_MEMBER}: ${plural(last.seq, "record")}, but the manifest says ${audit.entries}`;
}

function wrong(member: string, problem: string): AppError {
  return new AppError("invalid", `${member}: ${problem}`);
}

/** Prefixes errors with the name of the member, and strips the temporary directory from them. */
function named<T>(directory: string, member: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw wrong(member, messageOf(error).replaceAll(directory + sep, ""));
  }
}
