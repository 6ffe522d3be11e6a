// Plans a batch: turns its operations into their effects and validates them as a whole, before anything is written.

import { AppError, notFound } from "../../../kit/error.ts";
import { sizeText } from "../../../kit/text/amounts.ts";
import { AFTER_SLASH, ancestorsOf, foldedPath, type DocumentPath } from "../../../kit/text/paths.ts";
import type { Effect, Expected, Operation, Plan } from "../engine.ts";
import { fileError, fileNotFound } from "../file-error.ts";
import { BATCH_OPERATIONS_MAX, FILE_BYTES_CEILING, type Totals } from "../schema.ts";
import type { Derived } from "./documents.ts";
import { reservedSegment } from "./reserved.ts";
import type { FileRow, SpaceRow, SpaceStore, VersionRow } from "./store.ts";

/** An operation; a put carries what was computed before the transaction. */
export type Prepared =
  | (Extract<Operation, { op: "put" }> & { readonly hash: string; readonly derived: Derived | undefined })
  | Exclude<Operation, { op: "put" }>;

export interface Step {
  readonly operation: Prepared;
  readonly effect: Effect;
  readonly row: FileRow | null;
  /** For a destroy or undelete: the version that it concerns. */
  readonly version: VersionRow | undefined;
}

/** Raises `invalid` for a batch that contradicts itself. Does not read the store. */
export function checkShape(operations: readonly Operation[]): void {
  if (operations.length > BATCH_OPERATIONS_MAX)
    throw new AppError("too_large", `at most ${BATCH_OPERATIONS_MAX} operations at once`, {
      limit: BATCH_OPERATIONS_MAX,
    });
  refuseRepeated(operations);
  for (const operation of operations) {
    const { path } = operation;
    const reserved = reservedSegment(path);
    if (reserved !== undefined) throw fileError("invalid", path, `"${reserved}" is a reserved name`);
    if (operation.op === "put" && operation.content.length > FILE_BYTES_CEILING)
      throw fileError("too_large", path, `larger than ${sizeText(FILE_BYTES_CEILING)}`, {
        limit_bytes: FILE_BYTES_CEILING,
      });
  }
}

/** Allows one operation per path, or several destroys of different versions, whose order does not matter. */
function refuseRepeated(operations: readonly Operation[]): void {
  if (operations.length === 1) return;
  const others = new Set<string>();
  const destroyed = new Map<string, Set<number>>();
  for (const operation of operations) {
    const { path } = operation;
    const versions = destroyed.get(path);
    const isAnotherDestroy = operation.op === "destroy" && !versions?.has(operation.version);
    if (others.has(path) || (versions && !isAnotherDestroy))
      throw fileError("invalid", path, "more than one operation on this path");
    if (operation.op !== "destroy") others.add(path);
    else if (versions) versions.add(operation.version);
    else destroyed.set(path, new Set([operation.version]));
  }
}

/**
 * Runs inside the transaction. An operation without effect yields no step. Deletes come first, so that they free names and directories for the
 * other operations.
 */
export function* planSteps(store: SpaceStore, operations: readonly Prepared[]): Generator<void, Step[]> {
  const steps: Step[] = [];
  for (const operation of operations) {
    const row = store.file.get(operation.path);
    const step = stepOf(store, operation, row);
    if (step) steps.push({ operation, row, version: undefined, ...step });
    yield;
  }
  if (steps.length < 2) return steps;
  const isDelete = ({ effect }: Step) => effect.op === "delete";
  return [...steps.filter(isDelete), ...steps.filter((step) => !isDelete(step))];
}

type Found = Pick<Step, "effect"> & Partial<Pick<Step, "version">>;

function stepOf(store: SpaceStore, operation: Prepared, row: FileRow | null): Found | undefined {
  switch (operation.op) {
    case "put":
      return put(operation, row);
    case "delete":
      return deletion(operation, row);
    case "undelete":
      return undeletion(store, operation, row);
    case "destroy":
      return destruction(store, operation, row);
  }
}

type Of<Op extends Prepared["op"]> = Extract<Prepared, { op: Op }>;

function put(operation: Of<"put">, row: FileRow | null): Found | undefined {
  const { path, hash, content, expected, unlessSame } = operation;
  const before = liveOf(row);
  if (unlessSame && before?.hash === hash) return undefined;
  requireExpected(path, expected, before);
  const after = { version: (row?.last ?? 0) + 1, size: content.length, hash };
  return { effect: { path, op: "write", before, after } };
}

function deletion({ path, expected }: Of<"delete">, row: FileRow | null): Found {
  const before = liveOf(row);
  if (!before) throw fileNotFound(path);
  requireExpected(path, expected, before);
  return { effect: { path, op: "delete", before, after: null } };
}

function undeletion(store: SpaceStore, { path }: Of<"undelete">, row: FileRow | null): Found {
  if (!row) throw fileNotFound(path);
  if (row.live !== null) throw fileError("conflict", path, "not deleted", { current: row.live });
  const version = store.newestKept.get(row.id);
  if (!version) throw fileError("refused", path, "the content of all its versions was destroyed");
  const after = { version: version.version, size: version.size, hash: version.hash };
  return { effect: { path, op: "undelete", before: null, after }, version };
}

function destruction(store: SpaceStore, operation: Of<"destroy">, row: FileRow | null): Found | undefined {
  const { path } = operation;
  const version = row && store.version.get(row.id, operation.version);
  if (!row || !version) throw notFound("version", `${operation.version} of ${path}`);
  if (row.live === operation.version)
    throw new AppError("invalid", "cannot destroy current live version — soft-delete first");
  if (version.gone === "destroyed") return undefined;
  const before = liveOf(row);
  const destroyed = { version: version.version, hash: version.hash };
  return { effect: { path, op: "destroy", before, after: before, destroyed }, version };
}

function liveOf(row: FileRow | null): Effect["before"] {
  return !row || row.live === null ? null : { version: row.live, size: row.size, hash: row.hash };
}

/** Raises `stale`. A writer that never received the response to its own write recognizes that write by the hash. */
function requireExpected(path: string, expected: Expected, live: Effect["before"]): void {
  if (expected === undefined || expected === (live?.version ?? null)) return;
  const wanted = expected === null ? "no file" : `v${expected}`;
  const found = live === null ? "there is no such file" : `the current version is v${live.version}`;
  const current = live && { version: live.version, hash: live.hash };
  throw fileError("stale", path, `expected ${wanted}, but ${found}`, { current });
}

/**
 * Refuses two files whose names are equal on some file systems, and a file in the place of a directory. Considers the state after the batch.
 * Raises `conflict`.
 */
export function* refuseClashes(store: SpaceStore, steps: readonly Step[]): Generator<void> {
  const appearing = steps.filter(({ effect }) => effect.before === null && effect.after !== null);
  if (appearing.length === 0) return;
  const leaving = new Set<string>(
    steps
      .filter(({ effect }) => effect.before !== null && effect.after === null)
      .map(({ effect }) => effect.path),
  );
  const names = new Map<string, DocumentPath>();
  for (const { effect } of appearing) {
    const folded = foldedPath(effect.path);
    const other = names.get(folded) ?? staying(store.fileByFolded.get(folded)?.path, leaving);
    if (other !== undefined && other !== effect.path)
      throw fileError(
        "conflict",
        effect.path,
        `has the same name as the existing "${other}" on some file systems`,
        {
          blocked_by: [other],
        },
      );
    names.set(folded, effect.path);
    yield;
  }
  for (const { effect } of appearing) {
    refuseDirectory(store, effect.path, leaving, names);
    yield;
  }
}

function refuseDirectory(
  store: SpaceStore,
  path: DocumentPath,
  leaving: ReadonlySet<string>,
  appearing: ReadonlyMap<string, DocumentPath>,
): void {
  const blocked = blockerOf(store, path, leaving, appearing);
  if (!blocked) return;
  const { by, isBelow } = blocked;
  const problem = isBelow ? `is a directory (it holds "${by}")` : `"${by}" is a file, not a directory`;
  throw fileError("conflict", path, problem, { blocked_by: [by] });
}

interface Blocker {
  readonly by: string;
  /** The blocker is in a directory of this name; otherwise it is a file where the path needs a directory. */
  readonly isBelow: boolean;
}

const NO_PATHS: ReadonlySet<string> = new Set();
const NO_NAMES: ReadonlyMap<string, DocumentPath> = new Map();

/** Returns a live file that prevents a file with this path, ignoring those that `leaving` names. `appearing`: by their folded paths. */
export function blockerOf(
  store: SpaceStore,
  path: string,
  leaving = NO_PATHS,
  appearing = NO_NAMES,
): Blocker | undefined {
  const folded = foldedPath(path);
  for (const ancestor of ancestorsOf(folded)) {
    const by = appearing.get(ancestor) ?? staying(store.fileByFolded.get(ancestor)?.path, leaving);
    if (by !== undefined) return { by, isBelow: false };
  }
  // One more row than files leave, so that a file that stays, if any, is among them.
  const below = store.someLiveBelow
    .all(`${folded}/`, `${folded}${AFTER_SLASH}`, leaving.size + 1)
    .find((row) => !leaving.has(row.path));
  return below && { by: below.path, isBelow: true };
}

function staying(path: string | undefined, leaving: ReadonlySet<string>): string | undefined {
  return path === undefined || leaving.has(path) ? undefined : path;
}

/** Excludes versions that retention will prune, which are known only after the write. */
export function planOf(space: SpaceRow, steps: readonly Step[]): Plan {
  const before = totalsOf(space);
  let { files, bytes, versions } = before;
  for (const { effect, version } of steps) {
    files += Number(effect.after !== null) - Number(effect.before !== null);
    bytes += (effect.after?.size ?? 0) - (effect.before?.size ?? 0);
    if (effect.op === "write") versions += 1;
    if (effect.op === "destroy" && version?.gone === null) versions -= 1;
  }
  return { effects: steps.map(({ effect }) => effect), before, after: { files, bytes, versions } };
}

export function totalsOf({ files, bytes, versions }: SpaceRow): Totals {
  return { files, bytes, versions };
}
