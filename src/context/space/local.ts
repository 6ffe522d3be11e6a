// A space in a folder on this machine: the same rules as on a server, for the person at the keyboard, who has every right. The database takes one
// process at a time, so open a space for one unit of work and close it; others wait for their turn.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rfc3339, type Clock } from "../../kit/clock.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { AppError } from "../../kit/error.ts";
import { openWhenFree } from "../../kit/disk/in-use.ts";
import { createDirectory } from "../../kit/disk/create-directory.ts";
import { KeyedLock } from "../../kit/concurrency/keyed-lock.ts";
import type { Log } from "../../kit/log.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import {
  Browsing,
  type ConflictFile,
  type DeletedPage,
  type FolderPage,
  type FolderQuery,
} from "../browsing/browsing.ts";
import { compareFiles } from "../files/comparing.ts";
import type { FileDiff } from "../files/diff.ts";
import type { DocumentsAnswer, DocumentsQuery } from "../files/documents.ts";
import { Files, type DiffQuery, type Written } from "../files/files.ts";
import type { Adoption, Deleted, ListedFile } from "../files/listing-schema.ts";
import type { Signature } from "../files/signature.ts";
import { SecretScan } from "../files/secrets.ts";
import { Freshness } from "../freshness/freshness.ts";
import type { FreshnessAnswer } from "../freshness/schema.ts";
import { Graph } from "../graph/graph.ts";
import type { GraphAnswer, GraphQuery } from "../graph/schema.ts";
import { localCaller, type Caller } from "../identity/caller.ts";
import { searchHere } from "../search/in-process.ts";
import type { SearchAnswer, SearchQuery } from "../search/schema.ts";
import { Search } from "../search/search.ts";
import { recordOf, type OpenSpace } from "../spaces/open-space.ts";
import {
  DEFAULT_SYNC,
  spaceNameProblem,
  type Space,
  type SpaceFile,
  type SyncMode,
  type SyncRules,
} from "../spaces/schema.ts";
import { openSpaceFile, saveSpaceFile } from "../spaces/space-file.ts";
import { canonicalRules } from "../spaces/sync-rules.ts";
import { templateOperations, unwritten } from "../spaces/templates.ts";
import type { Expected, LogEntry } from "../versioned-store/engine.ts";
import { headText } from "../versioned-store/head.ts";
import type { FileHistory, Snapshot } from "../versioned-store/schema.ts";
import { sqlite } from "../versioned-store/sqlite/kind.ts";
import type { TreeLook, TreeMemory } from "../versioned-store/tree-memory.ts";
import { snapshotName } from "../versioned-store/snapshot-name.ts";
import { contextWorkers, lookWorkers } from "../worker-pool.ts";
import {
  holdsFinishedSpace,
  holdsLocalSpace,
  holdsUnfinishedSpace,
  spaceAccessProblem,
} from "./directory.ts";
import { freezeFolder, type FrozenFolder } from "./frozen-folder.ts";
import { openLocalEngine, openLocalEngineAnew } from "./local-engine.ts";
import { localHost, localQuotas } from "./local-host.ts";
import { levelsOf, obstacleTo } from "./obstacles.ts";
import { readingCopy, recordingProblem, type ReadingCopy } from "./reading-copy.ts";
import type { FileBehind, FolderSpace, ListQuery, ReadFile, RestoredSnapshot, SpaceDoor } from "./door.ts";

export interface LocalSpaceDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** The person at this machine: author of every version. */
  readonly person: string;
  /** For a program that opens the space again and again. */
  readonly memory?: TreeMemory;
  /** Called once if another command has the space open. */
  readonly onWait?: () => void | Promise<void>;
  /** A folder for copies of databases, to read a space that cannot be written. Undefined: such a space is refused. */
  readonly scratch?: string;
  /** A lost database: refuse the folder (default), or start over without versions, since a person asked for it. */
  readonly lost?: "refuse" | "start over";
}

/**
 * Waits for its turn if another command has the space open. Raises `not_found` for a folder without a space, `refused` for one without access or whose database is lost, `conflict` with `details.in_use` if
 * the wait takes too long, and what the engine raises.
 */
export async function openLocalSpace(directory: string, deps: LocalSpaceDeps): Promise<FolderSpace> {
  const shut = spaceAccessProblem(directory);
  if (shut !== undefined)
    throw new AppError(
      "refused",
      `${directory}: ${shut}; make it readable, or name another space with --dir`,
    );
  if (!holdsLocalSpace(directory))
    throw new AppError(
      "not_found",
      `no space in ${directory}; create one with ${commandText(["cairn", "init", "solo", "--dir", directory])}`,
      { directory },
    );
  const copy = await copyIfNeeded(directory, deps);
  try {
    return await openedSpace(directory, deps, copy);
  } catch (error) {
    copy?.remove();
    throw error;
  }
}

async function copyIfNeeded(
  directory: string,
  { scratch, clock, onWait }: LocalSpaceDeps,
): Promise<ReadingCopy | undefined> {
  const problem = recordingProblem(directory);
  if (problem === undefined || scratch === undefined) return undefined;
  return openWhenFree(() => readingCopy({ directory, problem }, scratch), clock, onWait);
}

async function openedSpace(
  directory: string,
  deps: LocalSpaceDeps,
  copy: ReadingCopy | undefined,
): Promise<FolderSpace> {
  const lookers = lookWorkers();
  const databases = copy && { databases: copy.directory };
  const options = { directory, ...databases, clock: deps.clock, log: deps.log, lookers };
  const open = deps.lost === "start over" ? openLocalEngineAnew : openLocalEngine;
  const engine = await open(options, deps.onWait);
  try {
    if (holdsUnfinishedSpace(directory) && engine.metadata.get() === null)
      throw new AppError(
        "invalid",
        `${directory}: creating this space was interrupted; repeat it with ${commandText(["cairn", "init", "solo", "--dir", directory])}`,
      );
    const file = await openSpaceFile(directory, engine, deps);
    return new LocalSpace({ name: file.name, engine, file }, directory, { ...deps, lookers, copy });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface NewLocalSpace {
  /** Absolute. It may exist and hold files; they stay, untracked. */
  readonly directory: string;
  readonly name: string;
  readonly template: string;
  /** Files of the template that are there already: refuse the folder (default), or leave them as they are. */
  readonly taken?: "refuse" | "leave";
}

/**
 * Every file of the template is `v1` from the start. A creation that a crash interrupted is finished. Raises `conflict` for a folder that holds a space, `invalid` for a bad name or template, and
 * `conflict` with `details.blocked_by` if a file of the template is there already. On failure the folder is as it was.
 */
export async function createLocalSpace(made: NewLocalSpace, deps: LocalSpaceDeps): Promise<SpaceDoor> {
  const { directory, name, template } = made;
  const isUnfinished = holdsUnfinishedSpace(directory);
  const isLeft = made.taken === "leave" || isUnfinished;
  const problem = spaceNameProblem(name);
  if (problem !== undefined) throw new AppError("invalid", `name: ${problem}`);
  const all = templateOperations(template);
  const isThere = new AppError("conflict", `${directory} already holds a space`);
  if (holdsFinishedSpace(directory)) throw isThere;
  const operations = all.filter(({ path }) => obstacleTo(directory, path) === undefined);
  const taken = [...new Set(all.flatMap(({ path }) => obstacleTo(directory, path) ?? []))];
  if (taken.length > 0 && !isLeft)
    throw new AppError(
      "conflict",
      `${directory} already has ${taken.join(", ")}; choose the template blank, or another folder`,
      { blocked_by: taken },
    );
  const absent = [...new Set(operations.flatMap(({ path }) => levelsOf(path)))]
    .concat(".cairn")
    .filter((path) => !existsSync(join(directory, path)));
  const isOurs = !existsSync(directory);
  createDirectory(directory);
  let engine;
  try {
    const lookers = lookWorkers();
    engine = sqlite.open({ directory, clock: deps.clock, log: deps.log, lookers });
    if (engine.metadata.get() !== null) throw isThere;
    const left = await unwritten(engine, operations);
    if (left.length > 0) await engine.apply({ operations: left, author: deps.person });
    const created_at = rfc3339(deps.clock.now());
    const file: SpaceFile = { name, created_at, template, sync: DEFAULT_SYNC };
    // Last, because this file makes the folder a space.
    await saveSpaceFile(directory, engine, file, { log: deps.log });
    const changed = left.map((operation) => operation.path);
    return new LocalSpace({ name, engine, file }, directory, { ...deps, lookers, changed });
  } catch (error) {
    await engine?.close();
    for (const path of isOurs ? [""] : absent)
      rmSync(join(directory, path), { recursive: true, force: true });
    throw error;
  }
}

interface OpenedDeps extends LocalSpaceDeps {
  /** Closed with the space. */
  readonly lookers: WorkerPool;
  /** Removed with the space, which then records nothing. */
  readonly copy?: ReadingCopy | undefined;
  /** The paths of files that its creation wrote. */
  readonly changed?: readonly string[];
}

class LocalSpace implements FolderSpace {
  readonly name: string;
  readonly place: string;
  readonly #space: OpenSpace;
  readonly #deps: OpenedDeps;
  readonly #caller: Caller;
  readonly #workers: WorkerPool;
  readonly #files: Files;
  readonly #browsing: Browsing;
  readonly #freshness: Freshness;
  readonly #graph: Graph;
  readonly #search: Search;
  readonly #saving = new KeyedLock<string>();
  /** The paths of files changed here. */
  readonly #changed: Set<string>;

  constructor(space: OpenSpace, directory: string, deps: OpenedDeps) {
    this.name = space.name;
    this.place = directory;
    this.#space = space;
    this.#deps = deps;
    this.#changed = new Set(deps.changed);
    this.#caller = localCaller(deps.person);
    this.#workers = contextWorkers();
    const spaces = localHost(space);
    const { memory } = deps;
    this.#browsing = new Browsing(spaces);
    this.#freshness = new Freshness({ spaces, clock: deps.clock, editsTrustedMs: 0, memory });
    this.#graph = new Graph({ spaces, clock: deps.clock, kept: true, memory });
    this.#files = new Files({
      spaces,
      // The versions are the record of a folder: it has one author, and no server that answers for others.
      audit: { record: () => {}, watched: (_actor, _deed, act) => act() },
      events: { announce: () => {} },
      secrets: new SecretScan("block", this.#workers),
      workers: this.#workers,
    });
    this.#search = new Search({
      spaces,
      workers: searchHere(this.#workers, deps.lookers),
      clock: deps.clock,
    });
  }

  async record(): Promise<Space> {
    return recordOf(this.#space, localQuotas(this.#space.file), this.#space.file.sync);
  }

  list({ deleted = false, ...query }: ListQuery = {}): Promise<ListedFile[]> {
    return this.#files.list(this.#caller, this.name, { ...query, deleted });
  }

  documents(query: DocumentsQuery): Promise<DocumentsAnswer> {
    return this.#files.documents(this.#caller, this.name, query);
  }

  async read(path: string, version?: number): Promise<ReadFile> {
    const content = await this.#files.read(this.#caller, this.name, path, version);
    return {
      path: content.path,
      version: content.version ?? null,
      state: content.state ?? "live",
      bytes: content.bytes,
    };
  }

  search(query: SearchQuery): Promise<SearchAnswer> {
    return this.#search.find(this.#caller, this.name, query);
  }

  history(path: string): Promise<FileHistory> {
    return this.#files.history(this.#caller, this.name, path);
  }

  async diff(path: string, query: Omit<DiffQuery, "signal"> = {}): Promise<FileDiff> {
    const encoded = await this.#files.diff(this.#caller, this.name, path, query);
    return JSON.parse(new TextDecoder().decode(encoded)) as FileDiff;
  }

  async write(
    path: string,
    content: Uint8Array,
    expected: Expected,
    { agent, ...signature }: Signature = {},
  ): Promise<Written> {
    this.#requireRecording();
    const written = await this.#files.write(
      // Nobody signs in to a folder, so the agent is the author.
      agent === undefined ? this.#caller : localCaller(agent),
      this.name,
      path,
      { content: () => Promise.resolve(content), expected: () => expected, signature },
    );
    this.#changed.add(written.path);
    return written;
  }

  async remove(path: string, expected: Expected): Promise<Deleted> {
    this.#requireRecording();
    const deleted = await this.#files.remove(this.#caller, this.name, path, () => expected);
    this.#changed.add(deleted.path);
    return deleted;
  }

  async undelete(path: string): Promise<Written> {
    this.#requireRecording();
    const written = await this.#files.undelete(this.#caller, this.name, path);
    this.#changed.add(written.path);
    return written;
  }

  async destroy(path: string, version: number): Promise<void> {
    this.#requireRecording();
    return this.#files.destroy(this.#caller, this.name, path, version);
  }

  async adopt(): Promise<Adoption> {
    this.#requireRecording();
    return this.#files.adopt(this.#caller, this.name);
  }

  snapshots(): Promise<Snapshot[]> {
    return this.#space.engine.snapshots();
  }

  async snapshot(title: string): Promise<Snapshot> {
    this.#requireRecording();
    return this.#space.engine.snapshot(snapshotName(title), { author: this.#deps.person });
  }

  async restore(id: number): Promise<RestoredSnapshot> {
    this.#requireRecording();
    const { head, effects, lost } = await this.#files.restore(this.#caller, this.name, id);
    for (const { path } of effects) this.#changed.add(path);
    return { head: headText(head), files: effects.map(({ path }) => path), lost };
  }

  async behind(): Promise<FileBehind[]> {
    const { engine } = this.#space;
    if (this.#changed.size === 0) return [];
    await engine.settled();
    return engine
      .treeBehind()
      .flatMap((path) =>
        this.#changed.has(path) ? [{ path, reason: engine.whyBehind(path) ?? "unknown" }] : [],
      );
  }

  freshness(): Promise<FreshnessAnswer> {
    return this.#freshness.check(this.#caller, this.name);
  }

  documentPaths(): Promise<readonly string[]> {
    return this.#graph.documents(this.#caller, this.name);
  }

  graph(query: GraphQuery = {}): Promise<GraphAnswer> {
    return this.#graph.answer(this.#caller, this.name, query);
  }

  async syncRules(): Promise<SyncRules> {
    return this.#space.file.sync;
  }

  async setSyncRule(prefix: string, mode: SyncMode): Promise<SyncRules> {
    this.#requireRecording();
    return this.#saving.run(this.name, async () => {
      const sync = canonicalRules({ ...this.#space.file.sync, [prefix]: mode });
      const file = { ...this.#space.file, sync };
      await saveSpaceFile(this.place, this.#space.engine, file, { log: this.#deps.log });
      this.#space.file = file;
      return sync;
    });
  }

  folder(query: FolderQuery): Promise<FolderPage> {
    return this.#browsing.folder(this.#caller, this.name, query);
  }

  deleted(query: { readonly before?: number | undefined; readonly limit: number }): Promise<DeletedPage> {
    return this.#browsing.deleted(this.#caller, this.name, query);
  }

  conflicts(): Promise<ConflictFile[]> {
    return this.#browsing.conflicts(this.#caller, this.name);
  }

  compare(path: string, other: string): Promise<FileDiff> {
    const deps = { files: this.#files, workers: this.#workers };
    return compareFiles(deps, this.#caller, this.name, { path, other });
  }

  unrecorded(): Promise<ListedFile[]> {
    const look = async () => (await this.list()).filter(({ state }) => state !== "live");
    return this.#deps.memory?.recall("unrecorded", this.#space.engine.head(), look) ?? look();
  }

  lookedAt(what: TreeLook): number | undefined {
    return this.#deps.memory?.lookedAt(what);
  }

  lookAgain(): void {
    this.#deps.memory?.forget();
  }

  recent(limit: number): Promise<LogEntry[]> {
    return this.#browsing.recent(this.#caller, this.name, limit);
  }

  freeze(): Promise<FrozenFolder> {
    return freezeFolder(this.#space, this.place);
  }

  /** Raises `refused` in a folder that can only be read. */
  #requireRecording(): void {
    const { copy } = this.#deps;
    if (copy) throw copy.refusal;
  }

  async close(): Promise<void> {
    this.#workers.close();
    await this.#space.engine.close();
    this.#deps.lookers.close();
    this.#deps.copy?.remove();
  }
}
