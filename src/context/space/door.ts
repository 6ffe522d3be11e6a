// One space as every surface sees it: commands, the MCP server, sync, and the memory of agents. Two implementations give the same answers: a
// folder on this machine (local.ts) and a space of a server (remote.ts). Both pass tests/kit/space-door-contract.ts.

import type { ConflictFile, DeletedPage, FolderPage, FolderQuery } from "../browsing/browsing.ts";
import type { FileDiff } from "../files/diff.ts";
import type { DocumentsAnswer, DocumentsQuery } from "../files/documents.ts";
import type { DiffQuery, Written } from "../files/files.ts";
import type { Signature } from "../files/signature.ts";
import type { Adoption, Deleted, ListedFile } from "../files/listing-schema.ts";
import type { FreshnessAnswer } from "../freshness/schema.ts";
import type { GraphAnswer, GraphQuery } from "../graph/schema.ts";
import type { SearchAnswer, SearchQuery } from "../search/schema.ts";
import type { Space, SyncMode, SyncRules } from "../spaces/schema.ts";
import type { Expected, LogEntry } from "../versioned-store/engine.ts";
import type { FileHistory, FileState, Snapshot } from "../versioned-store/schema.ts";
import type { TreeLook } from "../versioned-store/tree-memory.ts";
import type { FrozenFolder } from "./frozen-folder.ts";

export interface ListQuery {
  /** A file, or a directory with everything below it. */
  readonly prefix?: string | undefined;
  /** Includes deleted files. */
  readonly deleted?: boolean | undefined;
  /** A head or a time (RFC 3339): the space as it was then. */
  readonly at?: string | undefined;
}

export interface ReadFile {
  readonly path: string;
  /** Null: a manual edit that is not recorded yet. */
  readonly version: number | null;
  readonly state: Extract<FileState, "live" | "modified" | "untracked">;
  readonly bytes: Uint8Array;
}

export interface RestoredSnapshot {
  readonly head: string;
  /** The paths that got a new version. */
  readonly files: readonly string[];
  /** The files that stay as they are, because their content at that time was destroyed or pruned. */
  readonly lost: readonly string[];
}

/** A change that is recorded, but not in the file on disk. */
export interface FileBehind {
  readonly path: string;
  readonly reason: string;
}

/**
 * Every method raises `not_found` for a path that does not exist or that the caller may not see, `forbidden` without the right, `invalid` for a path
 * that cannot be one, and `unavailable` if the server or the disk does not answer.
 */
export interface SpaceDoor {
  readonly name: string;
  /** For people: a folder, or the address of a server. */
  readonly place: string;
  record(): Promise<Space>;
  /** Sorted by path. Raises `invalid` and `epoch_changed` for a bad `at`. */
  list(query?: ListQuery): Promise<ListedFile[]>;
  /** Reads many documents in one go; each that cannot be read says why. */
  documents(query: DocumentsQuery): Promise<DocumentsAnswer>;
  /** Reads the working tree unless given a version. Raises `too_large` for an edit too large to be a document. */
  read(path: string, version?: number): Promise<ReadFile>;
  /** Finds what is on disk, including manual edits and files without a version. Raises `invalid` for a query that cannot be one, `refused`. */
  search(query: SearchQuery): Promise<SearchAnswer>;
  history(path: string): Promise<FileHistory>;
  /** Raises `not_text`, `too_large`, and `refused` for a file without versions. */
  diff(path: string, query?: Omit<DiffQuery, "signal">): Promise<FileDiff>;
  /** Raises `stale`, `conflict`, `quota_exceeded`, `secret_found`. */
  write(path: string, content: Uint8Array, expected: Expected, signature?: Signature): Promise<Written>;
  /** Deletes a file and keeps its versions. Raises `stale`. */
  remove(path: string, expected: Expected): Promise<Deleted>;
  undelete(path: string): Promise<Written>;
  /** Destroys the content of one version. Raises `refused` for the live one. */
  destroy(path: string, version: number): Promise<void>;
  adopt(): Promise<Adoption>;
  snapshots(): Promise<Snapshot[]>;
  snapshot(title: string): Promise<Snapshot>;
  restore(id: number): Promise<RestoredSnapshot>;
  /** The documents that declare when they become stale, and those whose front matter has a problem, sorted by path. */
  freshness(): Promise<FreshnessAnswer>;
  /** The links between documents. Raises `too_large` for a space with too many. */
  graph(query?: GraphQuery): Promise<GraphAnswer>;
  /** The files changed through this door that could not be written to the folder on this machine, sorted by path. Empty for a space of a server. */
  behind(): Promise<FileBehind[]>;
  syncRules(): Promise<SyncRules>;
  /** Sets the mode of one prefix and returns all rules. */
  setSyncRule(prefix: string, mode: SyncMode): Promise<SyncRules>;
  close(): Promise<void>;
}

/** A space that people look through page by page. */
export interface BrowsedSpace extends SpaceDoor {
  /** Raises `not_found` for a folder without files. */
  folder(query: FolderQuery): Promise<FolderPage>;
  deleted(query: { readonly before?: number | undefined; readonly limit: number }): Promise<DeletedPage>;
  conflicts(): Promise<ConflictFile[]>;
  /** The paths of all documents, sorted, as the graph knows them. Raises `too_large`. */
  documentPaths(): Promise<readonly string[]>;
  /** From one document, which may be deleted, to another. Raises `not_text`, `too_large`. */
  compare(path: string, other: string): Promise<FileDiff>;
  /** Files on disk that differ from their versions, or that have none, sorted by path. */
  unrecorded(): Promise<ListedFile[]>;
  /** When the files were looked at for the last answer, in ms since the epoch. Undefined: at the time of the answer, or a moment before. */
  lookedAt(what: TreeLook): number | undefined;
  /** Answers only what is found from here on. */
  lookAgain(): void;
  /** The latest changes, newest first. */
  recent(limit: number): Promise<LogEntry[]>;
}

/** A space in a folder on this machine. */
export interface FolderSpace extends BrowsedSpace {
  /** Waits for writes in several steps, then freezes the database until it is thawed. Raises `conflict` while it is frozen, `unavailable`. */
  freeze(): Promise<FrozenFolder>;
}
