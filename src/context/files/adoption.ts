// Records manual edits in a working tree. Each file is judged separately, so a refused file does not block the others. The recorded bytes are the
// scanned bytes, whatever happens to the file meanwhile.

import { turnOfOthers } from "../../kit/clock.ts";
import { AppError, notFound } from "../../kit/error.ts";
import { inSteps } from "../../kit/storage-error.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import type { Batch, FileEngine, Operation, Restored } from "../versioned-store/engine.ts";
import { problemOf, refusalCodeOf } from "../versioned-store/file-error.ts";
import type { FileRecord, Refusal } from "../versioned-store/schema.ts";

/** The limits of one commit: a few milliseconds. A single file may be larger. */
const FILES_PER_COMMIT_MAX = 50;
const BYTES_PER_COMMIT_MAX = 1024 * 1024;

interface RefusedFile extends Refusal {
  /** As on disk; a trailing slash marks a directory. */
  readonly path: string;
  /** Undefined: it cannot be a document, whoever the caller is. */
  readonly error?: AppError;
}

interface Adopted {
  readonly adopted: readonly DocumentPath[];
  readonly refused: readonly RefusedFile[];
}

interface AdoptionTerms {
  readonly batch: Omit<Batch, "operations">;
  /** Raises `secret_found`. */
  readonly scan: (operation: Operation) => void | Promise<void>;
}

/**
 * Restores a snapshot also where people edited or deleted recorded files by hand: that becomes versions first. Files without a version stay. Raises
 * `not_found` before it records anything.
 */
export function restoreTree(engine: FileEngine, id: number, terms: AdoptionTerms): Promise<Restored> {
  return inSteps(() => restored(engine, id, terms));
}

async function restored(engine: FileEngine, id: number, terms: AdoptionTerms): Promise<Restored> {
  if (!(await engine.snapshots()).some((snapshot) => snapshot.id === id)) throw notFound("snapshot", id);
  await recordTree(engine, terms, ({ state }) => state === "modified");
  // The list has waited for the tree. Asking for all that is behind would write, without a pause, what others have committed meanwhile.
  const gone = (await engine.list()).filter(
    ({ path, state }) => state === "missing" && engine.whyBehind(path as DocumentPath) === undefined,
  );
  for (let from = 0; from < gone.length; from += FILES_PER_COMMIT_MAX) {
    const operations = gone
      .slice(from, from + FILES_PER_COMMIT_MAX)
      .map(
        ({ path, version }) => ({ op: "delete", path: path as DocumentPath, expected: version! }) as const,
      );
    await engine.applyEach({ ...terms.batch, operations });
    await turnOfOthers();
  }
  return engine.restoreSnapshot(id, terms.batch);
}

export function adoptTree(engine: FileEngine, terms: AdoptionTerms): Promise<Adopted> {
  return inSteps(() =>
    recordTree(engine, terms, ({ state }) => state === "untracked" || state === "modified"),
  );
}

async function recordTree(
  engine: FileEngine,
  { batch, scan }: AdoptionTerms,
  isMeant: (file: FileRecord) => boolean,
): Promise<Adopted> {
  const waiting: DocumentPath[] = [];
  const adopted: DocumentPath[] = [];
  const refused: RefusedFile[] = [];
  for (const file of await engine.list())
    if (file.refused) refused.push({ path: file.path, ...file.refused });
    else if (isMeant(file)) waiting.push(file.path as DocumentPath);
  let at = 0;
  // At least once, because the batch checks rights inside its commit even when there is nothing to record.
  do {
    const operations: Operation[] = [];
    let bytes = 0;
    for (let files = 0; files < FILES_PER_COMMIT_MAX && bytes < BYTES_PER_COMMIT_MAX; files += 1) {
      const path = waiting[at++];
      if (path === undefined) break;
      try {
        const copy = await engine.copy(path);
        if (!copy) continue;
        const operation = { op: "put", path, content: copy.bytes, unlessSame: true } as const;
        bytes += copy.bytes.length;
        await scan(operation);
        operations.push(operation);
      } catch (error) {
        refused.push(refusedFile(path, error));
      }
    }
    const done = await engine.applyEach({ ...batch, operations });
    adopted.push(...done.effects.map(({ path }) => path));
    refused.push(...done.refused.map(({ path, error }) => refusedFile(path, error)));
    await turnOfOthers();
  } while (at < waiting.length);
  return { adopted, refused: refused.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

function refusedFile(path: DocumentPath, error: unknown): RefusedFile {
  if (!(error instanceof AppError)) throw error;
  return { path, code: refusalCodeOf(error), reason: problemOf(error), error };
}
