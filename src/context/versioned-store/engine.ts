// The interface of the versioned store of one space. An engine keeps content and history; it knows nothing of users, rights or HTTP.
// Every engine passes the same contract suite (tests/kit/store/file-engine-contract.ts).

import type { Clock } from "../../kit/clock.ts";
import type { FrozenFile } from "../../kit/storage/frozen-copy.ts";
import type { PageSink } from "../../kit/storage/changed-pages.ts";
import type { Log } from "../../kit/log.ts";
import type { AppError } from "../../kit/error.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Coded, Stored } from "./coding.ts";
import type { FrontMatter, FrontMatterProblem } from "./front-matter.ts";
import type { Link } from "./links.ts";
import type { ChangeOp, FileHistory, FileRecord, NetChange, Snapshot, Totals } from "./schema.ts";

export interface Head {
  /** Identifies the history: restoring a backup starts a new one. 12 hex digits. */
  readonly epoch: string;
  /** Increases with every change. */
  readonly seq: number;
}

/**
 * The precondition of a write. Undefined: none, the last write wins. Null: no live file exists. A number: that version is live. A write whose
 * precondition does not hold is `stale`, whatever its content.
 */
export type Expected = number | null | undefined;

export type Operation =
  | {
      readonly op: "put";
      readonly path: DocumentPath;
      readonly content: Uint8Array;
      /** The same content as a store holds it, if the writer has it; it is not encoded again. */
      readonly coded?: Coded;
      readonly expected?: Expected;
      /** A no-op if this content is already live: two writers may both find the same edited copy in the working tree. */
      readonly unlessSame?: true;
    }
  | { readonly op: "delete"; readonly path: DocumentPath; readonly expected?: Expected }
  | { readonly op: "undelete"; readonly path: DocumentPath }
  | { readonly op: "destroy"; readonly path: DocumentPath; readonly version: number };

/** The net effect of a batch on one path. */
export interface Effect {
  readonly path: DocumentPath;
  readonly op: ChangeOp;
  /** The live version before; null: none. */
  readonly before: { readonly version: number; readonly size: number; readonly hash: string } | null;
  /** The live version after; null: none. */
  readonly after: { readonly version: number; readonly size: number; readonly hash: string } | null;
  /** For a destroy: the version whose content was removed. */
  readonly destroyed?: { readonly version: number; readonly hash: string };
}

export interface Plan {
  readonly effects: readonly Effect[];
  readonly before: Totals;
  readonly after: Totals;
}

export interface Batch {
  readonly operations: readonly Operation[];
  readonly author: string;
  /** The author's message for the versions that the batch writes. At most MESSAGE_CHARACTERS_MAX. */
  readonly message?: string;
  /** Called first inside the transaction, before any lookup: checks the rights that need no record. Otherwise as `admit`. */
  readonly begin?: () => void;
  /** Passed through to `onApplied`; opaque to the engine. */
  readonly by?: unknown;
  /**
   * Called inside the transaction with the planned effects, before anything is written: checks the rights that need the record, and quotas.
   * Synchronous. Throwing rolls back the whole batch. May be called again: if another batch in the same commit fails, all of them are retried.
   */
  readonly admit?: (plan: Plan) => void;
  /**
   * Manual edits in the working tree become versions before the batch is judged. `inspectEdits` is called with their contents before the
   * transaction, for slow checks; `admitEdits` is called as `admit` is.
   */
  readonly inspectEdits?: (edits: readonly Operation[]) => Promise<void>;
  readonly admitEdits?: (plan: Plan) => void;
  /** The number of versions of each written file that keep their content, besides those in snapshots; 0: all. */
  readonly versionsKept?: number;
}

export interface Applied {
  /** The head after the batch. */
  readonly head: Head;
  /** One for each change, in sequence order: deletes first, then the other operations as given. Empty: nothing changed. */
  readonly effects: readonly Effect[];
  /** Milliseconds since the epoch. */
  readonly time: number;
}

export interface AppliedEach extends Applied {
  readonly refused: readonly { readonly path: DocumentPath; readonly error: AppError }[];
}

export interface Restored extends Applied {
  /** Files left as they are because their content at that time was destroyed or pruned. Sorted. */
  readonly lost: readonly DocumentPath[];
}

/** The working-tree file at a path, whatever the log says. */
export interface Copy {
  readonly path: DocumentPath;
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** A working-tree file that is not recorded: it differs from the live version (`modified`), or there is none (`untracked`). */
export interface EditedCopy extends Copy {
  readonly state: "modified" | "untracked";
}

export interface Content {
  readonly path: DocumentPath;
  readonly version: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export interface ListQuery {
  /** A file, or a directory including everything below it. */
  readonly prefix?: DocumentPath;
  /** Includes deleted files. */
  readonly deleted?: boolean;
  /** Lists the space as it was after this change, or at this time (ms). */
  readonly at?: { readonly seq: number } | { readonly time: number };
}

/** A file, and the links of the document in it. */
export interface Outline {
  readonly path: DocumentPath;
  /** Null: untracked. */
  readonly version: number | null;
  readonly links: readonly Link[];
}

/** The declarations in the front matter of a document. */
export interface Declaration {
  readonly path: DocumentPath;
  /** The fields, or why they cannot be read. */
  readonly fields: FrontMatter | FrontMatterProblem;
  /** When this version or copy was written, in ms since the epoch. */
  readonly written: number;
}

/** An unrecorded file. `fields` undefined: it declares nothing. */
export type EditedOutline = Outline &
  Omit<Declaration, "fields"> & { readonly fields?: Declaration["fields"] };

/** By path. Empty: the working tree is as recorded. */
export type EditedOutlines = ReadonlyMap<DocumentPath, EditedOutline>;

/** All files at a head. */
export interface Outlines {
  readonly head: Head;
  /** Sorted by path. */
  readonly files: readonly Outline[];
}

/** One entry of the log. */
export interface LogEntry {
  readonly seq: number;
  readonly op: ChangeOp;
  readonly path: DocumentPath;
  readonly version: number | null;
  /** The hash of that version; null without one. */
  readonly hash: string | null;
  readonly author: string;
  readonly time: number;
}

export interface FileEngine {
  /** The working tree; undefined: an engine without one. */
  readonly directory: string | undefined;
  /** The directory of the databases that are derived from the contents, such as the text index. Undefined: as `directory`. */
  readonly databases: string | undefined;
  head(): Head;
  totals(): Totals;
  /**
   * Sorted by path. Without `at`, combines the working tree and the log, each file with its state; a file too large to be a document has an
   * empty hash. Raises `invalid` for a change in the future.
   */
  list(query?: ListQuery): Promise<FileRecord[]>;
  /** The live files with a path between these two, neither included, in order. Ignores the working tree. */
  liveFiles(after: string, before: string, limit: number): Promise<FileRecord[]>;
  /** Deleted files; those that were created last come first. `before`: the id of the last one of the page before. */
  deletedFiles(before: number | undefined, limit: number): Promise<{ id: number; record: FileRecord }[]>;
  /** The paths of live files after this one, in order. */
  livePaths(after: string, limit: number): Promise<DocumentPath[]>;
  /** The live version according to the log, ignoring the working tree. Undefined: no such file, or deleted. */
  live(path: DocumentPath): Promise<NonNullable<Effect["after"]> | undefined>;
  /** Undefined: no such file, not even a deleted one. */
  stat(path: DocumentPath): Promise<FileRecord | undefined>;
  /**
   * Reads the live version unless given another. Undefined: no such file or version, or, without a version, the file is deleted. Raises
   * `not_found` with the reason for a version whose content was destroyed or pruned.
   */
  read(path: DocumentPath, version?: number): Promise<Content | undefined>;
  /** As `read`, without decoding the content. */
  stored(path: DocumentPath, version: number): Promise<Stored | undefined>;
  /** Undefined: no file, or an engine without a working tree. Raises `too_large`. */
  copy(path: DocumentPath): Promise<Copy | undefined>;
  /**
   * Reads the working-tree file: the live version, or a manual edit that is not recorded yet. Falls back to the live version if the tree has no
   * such file or cannot be read. Raises `too_large`.
   */
  open(path: DocumentPath): Promise<Content | EditedCopy | undefined>;
  history(path: DocumentPath): Promise<FileHistory | undefined>;
  /** Sorted by path. Raises `epoch_changed` for a head of another history, `invalid` for one in the future. */
  changesSince(head: Head): Promise<NetChange[]>;
  /**
   * Returns the live files with their links, including every change committed before the call. Give it the last reading, and it reads only what
   * has changed since; it returns the same object if nothing has. Ignores the working tree.
   */
  outlines(before?: Outlines): Promise<Outlines>;
  /** Undefined while a file may still change without a trace. Together with `directory`, it makes derived data worth keeping between processes. */
  look(): Promise<Look | undefined>;
  /** Returns a text that stays the same while no file and no version changes. Faster than `look`. Undefined: as for `look`, or the system cannot tell. */
  glance(): Promise<string | undefined>;
  /** Returns the file as it is now, with an edit by hand; undefined: there is none. A deleted file that is still on disk has no version. */
  outline(path: DocumentPath): Promise<Outline | undefined>;
  /** Returns the declarations of the live documents, sorted by path. Ignores the working tree. */
  declarations(): Promise<Declaration[]>;
  /** Returns the outlines of the modified and untracked files of the working tree, read from disk. */
  editedOutlines(): Promise<EditedOutlines>;
  /** Returns at most `limit` entries after this sequence number, in order. */
  log(after: number, limit: number): Promise<LogEntry[]>;
  /**
   * Atomic, and durable when it resolves. Allows one operation per path, except destroys of several versions. Manual edits in the working tree
   * become versions before the batch is judged. Raises `stale` with `details.current` (version and hash, or null), `not_found`, `conflict` with
   * `details.blocked_by` (the name is a directory, equals another name on some file systems, or is taken by something without a version),
   * `invalid`, and whatever `admit` raises.
   */
  apply(batch: Batch): Promise<Applied>;
  snapshots(): Promise<Snapshot[]>;
  /** Names the current head. Raises `conflict` if the name is taken, and whatever `begin` raises. */
  snapshot(name: string, batch: Pick<Batch, "author" | "begin">): Promise<Snapshot>;
  /** Restores the space by writing new versions. Raises `not_found`, and whatever `admit` raises. */
  restoreSnapshot(id: number, batch: Omit<Batch, "operations">): Promise<Restored>;
  /**
   * As `apply`, but judges each operation separately, in order, and leaves out the refused ones. Does not record manual edits first: it is
   * itself for files of the working tree.
   */
  applyEach(batch: Batch): Promise<AppliedEach>;
  /** Resolves when the working tree shows every change committed before the call, except at the paths of `treeBehind`. */
  settled(): Promise<void>;
  /** Paths where writing the working tree failed, so that it does not show the live version. Retried on every write and on open. Sorted. */
  treeBehind(): readonly DocumentPath[];
  /** Why the last attempt to write a path of `treeBehind` failed. */
  whyBehind(path: DocumentPath): string | undefined;
  /** `refusal`: raised by later calls; `unavailable` by default. */
  close(refusal?: AppError): Promise<void>;
}

/** The metadata of a space (name, template, rules), opaque to the engine. */
export interface SpaceMetadata {
  readonly content: string;
  /** SHA-256 of `space.yaml` as last written, hex. */
  readonly written: string;
  /** SHA-256 of the `space.yaml` that it replaced; null: none. */
  readonly before: string | null;
}

export interface MetadataKeeper {
  /** Null: the space is half created, or predates stored metadata. */
  get(): SpaceMetadata | null;
  /** Durable when it resolves. Calls `begin` inside the transaction and raises what it raises. */
  set(metadata: SpaceMetadata, begin?: () => void): Promise<void>;
  /** See `Db.prove`. */
  prove(): Promise<void>;
}

/** The engine of one space, with the metadata of the space. */
export interface SpaceEngine extends FileEngine {
  readonly metadata: MetadataKeeper;
  /** Undefined: no write in several steps is running. Otherwise resolves when it ends. */
  readonly busy: Promise<void> | undefined;
  /** As `Db.checkpointed`. */
  checkpointed(): Promise<void>;
  /** Returns a frozen copy of the database, which a backup reads while writes continue. Raises `conflict`, `unavailable`. */
  freeze(): FrozenFile;
}

export const FACTS_PER_FILE = 4;

/** The state of the files on disk. */
export interface Look {
  /** Changes with every change of the log or of a file on disk. */
  readonly fingerprint: string;
  /** Names as on disk, one on a line. */
  readonly names: string;
  /** FACTS_PER_FILE numbers for each name, which change with its file. */
  readonly facts: Float64Array;
}

export interface SpaceEngineOptions {
  /** The folder of the space, which is its working tree. Created if missing. */
  readonly directory: string;
  /** A directory with a copy of its databases, which is used in place of them: for a folder that cannot be written. */
  readonly databases?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the effects of every commit once it is durable, whoever asked for it. */
  readonly onApplied?: (applied: Applied, batch: Pick<Batch, "author" | "by">) => void;
  /** Gets the pages of the database that each commit changes. */
  readonly pages?: PageSink | undefined;
  /** The head that the working tree shows, for a database that was copied here without it. Undefined: as the database says. */
  readonly treeAt?: Head | undefined;
  /** Called after each commit with its duration in ms. Queued writes share a commit. */
  readonly onCommit?: (ms: number) => void;
  /** For checkpoints. Without workers, they run on this thread. */
  readonly workers?: WorkerPool;
  /** Threads that help to look at a large working tree, for a program that waits for it. They implement `LOOK_JOB`. */
  readonly lookers?: Pick<WorkerPool, "run">;
}

/** A space whose database was copied here without its working tree. It is not open. */
export interface CopiedTree {
  /** The folder of the space. */
  readonly directory: string;
  /** The head that the working tree shows. */
  readonly shows: Head;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends it early, with the working tree as far as it is. */
  readonly signal: AbortSignal;
}

export interface BroughtTree {
  readonly shows: Head;
  readonly metadata: SpaceMetadata | null;
}

/** A storage backend for spaces. */
export interface EngineKind {
  /**
   * Raises `conflict` while another process has the space open, `invalid` or `refused` for an unusable database, `unavailable` when the disk
   * fails.
   */
  open(options: SpaceEngineOptions): SpaceEngine;
  /** Reports whether the folder holds a space even though its file is lost. An unreadable space counts, so that opening it says why. */
  holdsSpace(directory: string): boolean;
  /** Brings the working tree up to date without changing the database. Raises as `open` does, also for a database of another version. */
  bringTree(options: CopiedTree): Promise<BroughtTree>;
  /** Returns the path of the database that holds every version of the space in the folder, whether there is one or not. */
  databaseOf(directory: string): string;
}
