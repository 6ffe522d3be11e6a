// The spaces of a server as the console uses them: the rules of files, search, graph and freshness on behalf of one caller.

import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Files, DiffQuery, Written } from "../files/files.ts";
import type { Browsing, ConflictFile, DeletedPage, FolderPage, FolderQuery } from "../browsing/browsing.ts";
import { compareFiles, shownDiff } from "../files/comparing.ts";
import type { FileDiff } from "../files/diff.ts";
import type { DocumentsAnswer, DocumentsQuery } from "../files/documents.ts";
import type { Adoption, Deleted, ListedFile } from "../files/listing-schema.ts";
import type { Signature } from "../files/signature.ts";
import type { Freshness } from "../freshness/freshness.ts";
import type { FreshnessAnswer } from "../freshness/schema.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphAnswer, GraphQuery } from "../graph/schema.ts";
import type { Caller } from "../identity/caller.ts";
import type { SearchAnswer, SearchQuery } from "../search/schema.ts";
import type { Search } from "../search/search.ts";
import type { BrowsedSpace, FileBehind, ListQuery, ReadFile, RestoredSnapshot } from "../space/door.ts";
import type { Space, SyncMode, SyncRules } from "../spaces/schema.ts";
import type { Spaces } from "../spaces/spaces.ts";
import type { Expected, LogEntry } from "../versioned-store/engine.ts";
import { headText } from "../versioned-store/head.ts";
import type { FileHistory, Snapshot } from "../versioned-store/schema.ts";
import type { SpaceSource } from "./space-source.ts";

interface ServedDeps {
  readonly workers: WorkerPool;
  readonly spaces: Spaces;
  readonly files: Files;
  readonly browsing: Browsing;
  readonly search: Search;
  readonly graph: Graph;
  readonly freshness: Freshness;
}

export function servedSpaces(deps: ServedDeps): SpaceSource {
  return {
    list: (caller) => deps.spaces.list(caller),
    use: async (caller, name, work) => {
      deps.spaces.requireVisible(caller, name);
      return work(new ServedSpace(deps, caller, name));
    },
  };
}

class ServedSpace implements BrowsedSpace {
  readonly name: string;
  readonly place = "this server";
  readonly #deps: ServedDeps;
  readonly #caller: Caller;

  constructor(deps: ServedDeps, caller: Caller, name: string) {
    this.name = name;
    this.#deps = deps;
    this.#caller = caller;
  }

  record(): Promise<Space> {
    return this.#deps.spaces.get(this.#caller, this.name);
  }

  list({ deleted = false, ...query }: ListQuery = {}): Promise<ListedFile[]> {
    return this.#deps.files.list(this.#caller, this.name, { ...query, deleted });
  }

  documents(query: DocumentsQuery): Promise<DocumentsAnswer> {
    return this.#deps.files.documents(this.#caller, this.name, query);
  }

  async read(path: string, version?: number): Promise<ReadFile> {
    const found = await this.#deps.files.read(this.#caller, this.name, path, version);
    return {
      path: found.path,
      version: found.version ?? null,
      state: found.state ?? "live",
      bytes: found.bytes,
    };
  }

  search(query: SearchQuery): Promise<SearchAnswer> {
    return this.#deps.search.find(this.#caller, this.name, query);
  }

  history(path: string): Promise<FileHistory> {
    return this.#deps.files.history(this.#caller, this.name, path);
  }

  async diff(path: string, query: Omit<DiffQuery, "signal"> = {}): Promise<FileDiff> {
    return shownDiff(await this.#deps.files.diff(this.#caller, this.name, path, query));
  }

  write(path: string, content: Uint8Array, expected: Expected, signature?: Signature): Promise<Written> {
    return this.#deps.files.write(this.#caller, this.name, path, {
      content: () => Promise.resolve(content),
      expected: () => expected,
      signature,
    });
  }

  remove(path: string, expected: Expected): Promise<Deleted> {
    return this.#deps.files.remove(this.#caller, this.name, path, () => expected);
  }

  undelete(path: string): Promise<Written> {
    return this.#deps.files.undelete(this.#caller, this.name, path);
  }

  destroy(path: string, version: number): Promise<void> {
    return this.#deps.files.destroy(this.#caller, this.name, path, version);
  }

  adopt(): Promise<Adoption> {
    return this.#deps.files.adopt(this.#caller, this.name);
  }

  snapshots(): Promise<Snapshot[]> {
    return this.#deps.spaces.snapshots(this.#caller, this.name);
  }

  snapshot(title: string): Promise<Snapshot> {
    return this.#deps.spaces.snapshot(this.#caller, this.name, title);
  }

  async restore(id: number): Promise<RestoredSnapshot> {
    const { head, effects, lost } = await this.#deps.files.restore(this.#caller, this.name, id);
    return { head: headText(head), files: effects.map(({ path }) => path), lost };
  }

  /** The operator reads the log. */
  async behind(): Promise<FileBehind[]> {
    return [];
  }

  freshness(): Promise<FreshnessAnswer> {
    return this.#deps.freshness.check(this.#caller, this.name);
  }

  documentPaths(): Promise<readonly string[]> {
    return this.#deps.graph.documents(this.#caller, this.name);
  }

  graph(query: GraphQuery = {}): Promise<GraphAnswer> {
    return this.#deps.graph.answer(this.#caller, this.name, query);
  }

  syncRules(): Promise<SyncRules> {
    return this.#deps.spaces.sync(this.#caller, this.name);
  }

  setSyncRule(prefix: string, mode: SyncMode): Promise<SyncRules> {
    const added = (inForce: SyncRules) => ({ ...inForce, [prefix]: mode });
    return this.#deps.spaces.setSync(this.#caller, this.name, added);
  }

  folder(query: FolderQuery): Promise<FolderPage> {
    return this.#deps.browsing.folder(this.#caller, this.name, query);
  }

  deleted(query: { readonly before?: number | undefined; readonly limit: number }): Promise<DeletedPage> {
    return this.#deps.browsing.deleted(this.#caller, this.name, query);
  }

  conflicts(): Promise<ConflictFile[]> {
    return this.#deps.browsing.conflicts(this.#caller, this.name);
  }

  compare(path: string, other: string): Promise<FileDiff> {
    return compareFiles(this.#deps, this.#caller, this.name, { path, other });
  }

  async unrecorded(): Promise<ListedFile[]> {
    return (await this.list()).filter(({ state }) => state !== "live");
  }

  lookedAt(): undefined {}

  lookAgain(): void {}

  recent(limit: number): Promise<LogEntry[]> {
    return this.#deps.browsing.recent(this.#caller, this.name, limit);
  }

  /** The server keeps the space open. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
