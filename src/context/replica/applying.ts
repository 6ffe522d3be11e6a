// Brings changes of the server into the local space. Every write names the local version that it replaces, so that an edit made meanwhile is never
// overwritten: its path is left for the next round.

import { sha256Hex } from "../../kit/crypto.ts";
import { AppError, noneIfNotFound } from "../../kit/error.ts";
import { foldedPath, type DocumentPath } from "../../kit/text/paths.ts";
import type { Operation, SpaceEngine } from "../versioned-store/engine.ts";
import { blockersOf, pathOf } from "../versioned-store/file-error.ts";
import { conflictName } from "../sync/conflict-names.ts";
import type { LocalFile } from "./looking.ts";
import { mergeTexts } from "./merge.ts";
import type { Pulled, ServerSpace } from "./server-space.ts";
import type { Agreement, ServerFile } from "./state.ts";
import type { FileRow } from "./store.ts";

/** Files moved out of the way for one change. */
const MOVES_MAX = 10_000;
/** The limits of one batch: the store still has its contents in memory when it writes the files. A single file may be larger. */
const ITEMS_PER_BATCH_MAX = 200;
const BYTES_PER_BATCH_MAX = 2 * 1024 * 1024;

/** The decision of a cycle for one path. */
export interface Step {
  readonly path: DocumentPath;
  readonly action: "take" | "remove" | "merge";
  readonly row: FileRow;
  /** The live local version; undefined: none. */
  readonly local: LocalFile | undefined;
}

export interface Conflict {
  readonly path: string;
  /** The file that keeps the local version. */
  readonly copy: string;
}

export interface Brought {
  readonly agreements: Agreement[];
  readonly taken: string[];
  readonly removed: string[];
  readonly merged: string[];
  readonly conflicts: Conflict[];
  /** The local space refused these. */
  readonly failed: { readonly path: string; readonly hash: string; readonly error: AppError }[];
  /** Edited meanwhile. */
  readonly raced: string[];
}

interface Surroundings {
  /** Files and directories that the steps write, folded, so that no conflict file takes one of these names. */
  readonly taken: Set<string>;
  /** New places for the files of a directory that blocks a file, by its path. */
  readonly asides: Map<string, DocumentPath>;
  readonly engine: SpaceEngine;
  readonly server: ServerSpace;
  readonly user: string;
  readonly now: () => number;
}

/** The writes for one path, which succeed or fail together. */
interface Item {
  readonly step: Step;
  readonly operations: Operation[];
  readonly author: string;
  /** The server's version; null: deleted. Its hash is empty until the content is written, for a content that is written as it is. */
  readonly server: ServerFile | null;
  /** The content that the path has afterwards is the server's. */
  readonly isServers: boolean;
  readonly conflicts: Conflict[];
}

/** An item that was written, with the version that is live then; null: deleted. */
interface Applied {
  readonly item: Item;
  readonly live: LocalFile | null;
}

function nothingBrought(): Brought {
  return { agreements: [], taken: [], removed: [], merged: [], conflicts: [], failed: [], raced: [] };
}

/** Applies the steps: deletes first, so that they free names. `pulled`: contents by path. */
export async function bring(
  surroundings: Omit<Surroundings, "taken" | "asides">,
  steps: readonly Step[],
  pulled: ReadonlyMap<string, Pulled>,
): Promise<Brought> {
  const taken = new Set<string>();
  for (const { path } of steps) take(taken, path);
  const around = { ...surroundings, taken, asides: new Map<string, DocumentPath>() };
  const brought = nothingBrought();
  const removals = steps.filter(({ action }) => action === "remove").map(removalOf);
  await applyAll(around, removals, brought);
  const items: Item[] = [];
  for (const step of steps) {
    const content = pulled.get(step.path);
    if (step.action === "remove" || !content) continue;
    const server = {
      path: step.path,
      version: content.version,
      hash: step.action === "take" ? "" : sha256Hex(content.bytes),
      size: content.bytes.length,
      author: step.row.author,
    };
    items.push(
      step.action === "take"
        ? takeOf(step, server, content)
        : await mergeOf(around, step, server, content.bytes),
    );
  }
  for (const batch of batchesOf(items)) {
    await applyAll(around, batch, brought);
    // Writes the files.
    around.engine.treeBehind();
  }
  // In a copy that is being made, nobody edits what is not there yet.
  const isNew = ({ row, local }: Step) => row.fresh === "joined" && local === undefined;
  const created = new Set<string>(steps.filter(isNew).map(({ path }) => path));
  await leaveRaced(around.engine, brought, created);
  return brought;
}

function* batchesOf(items: readonly Item[]): Generator<Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    batch.push(item);
    for (const operation of item.operations) bytes += operation.op === "put" ? operation.content.length : 0;
    if (batch.length < ITEMS_PER_BATCH_MAX && bytes < BYTES_PER_BATCH_MAX) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function removalOf(step: Step): Item {
  const operation = { op: "delete", path: step.path, expected: step.local!.version } as const;
  return {
    step,
    operations: [operation],
    author: step.row.author,
    server: null,
    isServers: true,
    conflicts: [],
  };
}

function takeOf(step: Step, server: ServerFile, { bytes: content, coded }: Pulled): Item {
  const expected = step.local?.version ?? null;
  const operations: Operation[] = [{ op: "put", path: step.path, content, coded, expected }];
  return { step, operations, author: server.author, server, isServers: true, conflicts: [] };
}

/** A clean merge replaces the local version; otherwise the local version stays under another name, and the server's takes the path. */
async function mergeOf(
  around: Surroundings,
  step: Step,
  server: ServerFile,
  theirs: Uint8Array,
): Promise<Item> {
  const { engine, user } = around;
  const { path, local } = step;
  const expected = local!.version;
  const ours = (await engine.read(path, expected))!.bytes;
  const base = await baseOf(around, step);
  const merged = base && (await mergeTexts({ base, local: ours, server: theirs }));
  const item = { step, author: user, server };
  if (merged) {
    const hash = sha256Hex(merged);
    const isServers = hash === server.hash;
    // A crash after an earlier merge left its result.
    const isDone = hash === local!.hash;
    const operations: Operation[] = isDone ? [] : [{ op: "put", path, content: merged, expected }];
    return { ...item, operations, isServers, conflicts: [] };
  }
  const copy = await freeName(around, path);
  return {
    ...item,
    operations: [
      { op: "put", path: copy, content: ours, expected: null },
      { op: "put", path, content: theirs, expected },
    ],
    isServers: true,
    conflicts: [{ path, copy }],
  };
}

/** Foresees the result of bringing the server's content to a file that was edited here, also if the edit is not recorded. Writes nothing. */
export async function foreseen(
  around: Pick<Surroundings, "engine" | "server">,
  step: Pick<Step, "path" | "row">,
  theirs: Uint8Array,
): Promise<"same" | "merge" | "conflict"> {
  const ours = (await around.engine.open(step.path))?.bytes;
  if (!ours || Buffer.compare(ours, theirs) === 0) return "same";
  const base = await baseOf(around, step);
  return base && (await mergeTexts({ base, local: ours, server: theirs })) ? "merge" : "conflict";
}

/** Undefined: there was no common version, or its content is no longer stored. */
async function baseOf(
  { engine, server }: Pick<Surroundings, "engine" | "server">,
  { path, row }: Pick<Step, "path" | "row">,
): Promise<Uint8Array | undefined> {
  // After a restore, what the server lacks was not deleted by anyone, so a merge with the old base would lose it.
  if (row.base_hash === null || row.fresh === "restored") return undefined;
  const isBase = (bytes: Uint8Array | undefined) =>
    bytes && sha256Hex(bytes) === row.base_hash ? bytes : undefined;
  try {
    const local = row.base_local === null ? undefined : await engine.read(path, row.base_local);
    if (local) return isBase(local.bytes);
    return row.base_version === null ? undefined : isBase(await server.content(path, row.base_version));
  } catch (error) {
    return noneIfNotFound(error);
  }
}

/** A name of neither a file nor a directory, even a deleted one. */
async function freeName({ engine, user, now, taken }: Surroundings, path: string): Promise<DocumentPath> {
  const time = now();
  for (;;) {
    const name = conflictName(path, user, time, (one) => taken.has(foldedPath(one)));
    take(taken, name);
    if ((await engine.list({ prefix: name, deleted: true })).length === 0) return name;
  }
}

/** Takes the names of a file and of the directories above it. */
function take(taken: Set<string>, path: string): void {
  let name = foldedPath(path);
  while (name !== "" && !taken.has(name)) {
    taken.add(name);
    name = name.slice(0, Math.max(name.lastIndexOf("/"), 0));
  }
}

/** All files of one directory move to the same place. */
async function asideOf(around: Surroundings, directory: string): Promise<DocumentPath> {
  const known = around.asides.get(directory);
  if (known !== undefined) return known;
  const name = await freeName(around, directory);
  around.asides.set(directory, name);
  return name;
}

async function applyAll(around: Surroundings, items: readonly Item[], brought: Brought): Promise<void> {
  const authors = new Set(items.map(({ author }) => author));
  for (const author of authors) {
    const own = items.filter((item) => item.author === author);
    for (const item of await applied(around, own, author, brought)) record(item, brought);
  }
}

/** Applies the items in one batch, and without those that are refused. Returns the applied ones with their new version. */
async function applied(
  around: Surroundings,
  items: readonly Item[],
  author: string,
  brought: Brought,
): Promise<Applied[]> {
  let left = items;
  let moves = 0;
  while (left.length > 0) {
    const operations = left.flatMap((item) => item.operations);
    try {
      const { effects } = await around.engine.apply({ operations, author });
      const after = new Map(effects.map((effect) => [effect.path, effect.after]));
      return left.map((item) => ({
        item,
        live: after.get(item.step.path) ?? (item.server ? item.step.local! : null),
      }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const failed = itemOf(left, error);
      if (!failed) throw error;
      if (error.code === "conflict" && moves++ < MOVES_MAX && (await moveAside(around, failed, left, error)))
        continue;
      left = left.filter((item) => item !== failed);
      const { path } = failed.step;
      if (error.code === "stale" || error.code === "not_found") brought.raced.push(path);
      else brought.failed.push({ path, hash: failed.step.row.hash ?? "", error });
    }
  }
  return [];
}

function itemOf(items: readonly Item[], error: AppError): Item | undefined {
  const path = pathOf(error);
  return items.find(({ operations }) => operations.some((operation) => operation.path === path));
}

/**
 * Keeps local files in the way of a server's file under another name, because a name has one meaning for everyone, and the server's came first.
 * Returns false if something without a version is in the way.
 */
async function moveAside(
  around: Surroundings,
  item: Item,
  items: readonly Item[],
  error: AppError,
): Promise<boolean> {
  const { engine, user } = around;
  let moved = false;
  for (const blocker of blockersOf(error) as readonly DocumentPath[]) {
    if (items.some(({ operations }) => operations.some(({ path }) => path === blocker))) return false;
    await adoptOne(engine, blocker, user);
    const live = await engine.live(blocker);
    const content = live && (await engine.read(blocker, live.version));
    if (!content) return false;
    const { path } = item.step;
    const isBelow = foldedPath(blocker).startsWith(`${foldedPath(path)}/`);
    const aside = isBelow
      ? (((await asideOf(around, path)) + blocker.slice(path.length)) as DocumentPath)
      : await freeName(around, blocker);
    item.operations.push(
      { op: "delete", path: blocker, expected: live.version },
      { op: "put", path: aside, content: content.bytes, expected: null },
    );
    item.conflicts.push({ path: blocker, copy: aside });
    moved = true;
  }
  return moved;
}

/** Records a manual edit, so that it has a version before it moves. */
async function adoptOne(engine: SpaceEngine, path: DocumentPath, author: string): Promise<void> {
  const copy = await engine.copy(path).catch(() => undefined);
  if (!copy) return;
  const operation = { op: "put", path, content: copy.bytes, unlessSame: true } as const;
  await engine.applyEach({ operations: [operation], author });
}

function record({ item, live }: Applied, brought: Brought): void {
  const { path, action } = item.step;
  const server = item.server && live && action === "take" ? { ...item.server, hash: live.hash } : item.server;
  brought.agreements.push({ path, server, local: item.isServers ? (live?.version ?? null) : null });
  brought.conflicts.push(...item.conflicts);
  if (action === "remove") brought.removed.push(path);
  else if (action === "take") brought.taken.push(path);
  else if (item.conflicts.length === 0) brought.merged.push(path);
}

/**
 * An editor may save between the check of a file and its replacement. The store then keeps the edit. It was made from the version before, so the
 * path does not agree yet: the next round merges both.
 */
async function leaveRaced(
  engine: SpaceEngine,
  brought: Brought,
  created: ReadonlySet<string>,
): Promise<void> {
  engine.treeBehind();
  const agreements = brought.agreements.splice(0);
  for (const agreement of agreements) {
    if (created.has(agreement.path)) {
      brought.agreements.push(agreement);
      continue;
    }
    const state = (await engine.stat(agreement.path as DocumentPath))?.state;
    const isEdited = state === "modified" || state === "untracked";
    if (isEdited) brought.raced.push(agreement.path);
    else brought.agreements.push(agreement);
  }
}
