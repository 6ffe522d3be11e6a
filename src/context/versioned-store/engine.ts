// The versioned store of one space, as everything above it sees it. An engine keeps content and history; it knows no people, no rights and
// no HTTP. Every engine passes the same contract suite (tests/kit/file-engine-contract.ts).

import type { Clock } from "../../kit/clock.ts";
import type { FrozenFile } from "../../kit/db-frozen.ts";
import type { Log } from "../../kit/log.ts";
import type { AppError } from "../../kit/error.ts";
import type { DocumentPath } from "../../kit/paths.ts";
import type { ChangeOp, FileHistory, FileRecord, NetChange, Snapshot, Totals } from "./schema.ts";

export interface Head {
  /** Changes when the space was restored from a backup: another history. 12 hex digits. */
  readonly epoch: string;
  /** Ascends with every change. */
  readonly seq: number;
}

/**
 * What a writer takes for granted. Undefined: nothing, the last write wins. Null: there is no such live file. A number: that version is
 * live. Anything else is `stale`, whatever the content.
 */
export type Expected = number | null | undefined;

export type Operation =
  | {
      readonly op: "put";
      readonly path: DocumentPath;
      readonly content: Uint8Array;
      readonly expected?: Expected;
      /** Changes nothing when this content is live already: for a copy in the working tree, which two writers may both find edited. */
      readonly unlessSame?: true;
    }
  | { readonly op: "delete"; readonly path: DocumentPath; readonly expected?: Expected }
  | { readonly op: "undelete"; readonly path: DocumentPath }
  | { readonly op: "destroy"; readonly path: DocumentPath; readonly version: number };

/** What a batch will have done to one path, all its operations taken together. */
export interface Effect {
  readonly path: DocumentPath;
  readonly op: ChangeOp;
  /** Live before; null: not there. */
  readonly before: { readonly version: number; readonly size: number; readonly hash: string } | null;
  /** Live afterwards; null: not there. */
  readonly after: { readonly version: number; readonly size: number; readonly hash: string } | null;
  /** Of a destroy: the version whose content went. */
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
  /** Called first inside the transaction, before anything is looked up: rights that need no record. Otherwise as `admit`. */
  readonly begin?: () => void;
  /** Handed on to who is told of the commit; the engine does not look at it. */
  readonly by?: unknown;
  /**
   * Called inside the transaction, when it is known what the batch will do and before anything is written: rights that need the record,
   * quotas. A throw in it undoes the whole batch. Must be synchronous. Called again where the failure of another batch, which waited together
   * with this one, made all of them begin anew.
   */
  readonly admit?: (plan: Plan) => void;
  /**
   * Copies in the working tree that somebody edited by hand have to become versions before this is judged. `inspectEdits` is called before
   * the transaction with the contents that it will write, for what takes long; `admitEdits` as `admit`.
   */
  readonly inspectEdits?: (edits: readonly Operation[]) => Promise<void>;
  readonly admitEdits?: (plan: Plan) => void;
  /** Of each file that is written, so many versions keep their content, and those that a snapshot names; 0: all. */
  readonly versionsKept?: number;
}

export interface Applied {
  /** After the batch. */
  readonly head: Head;
  /** One for each change, in order of their numbers: deletes first, else as the operations were. Empty: nothing had to be changed. */
  readonly effects: readonly Effect[];
  /** Milliseconds since the epoch. */
  readonly time: number;
}

export interface AppliedEach extends Applied {
  readonly refused: readonly { readonly path: DocumentPath; readonly error: AppError }[];
}

export interface Restored extends Applied {
  /** Stay as they are, since what they were then was destroyed or pruned. Sorted. */
  readonly lost: readonly DocumentPath[];
}

/** What lies in the working tree under a path, whatever the log says. */
export interface Copy {
  readonly path: DocumentPath;
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** A copy that the log does not have: it replaces the live version, or there is none. */
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
  /** A file, or a directory with everything below it. */
  readonly prefix?: DocumentPath;
  /** Deleted files too. */
  readonly deleted?: boolean;
  /** The space as it was at this change, or at this time (ms). */
  readonly at?: { readonly seq: number } | { readonly time: number };
}

/** One line of the log, for those who follow it. */
export interface LogEntry {
  readonly seq: number;
  readonly op: ChangeOp;
  readonly path: DocumentPath;
  readonly version: number | null;
  /** Of that version; null without one. */
  readonly hash: string | null;
  readonly author: string;
  readonly time: number;
}

export interface FileEngine {
  head(): Head;
  totals(): Totals;
  /**
   * Sorted by path. Without `at` what is in the working tree and in the log, each with its state; a file that is too large to be a document
   * has an empty hash. Raises `invalid` for a change that is still to come.
   */
  list(query?: ListQuery): Promise<FileRecord[]>;
  /** As the log has it, without a look at the working tree. Undefined: no such file, or deleted. */
  live(path: DocumentPath): Promise<NonNullable<Effect["after"]> | undefined>;
  /** Undefined: there is no such file, not even a deleted one. */
  stat(path: DocumentPath): Promise<FileRecord | undefined>;
  /**
   * Without a version the live one. Undefined: no such file, deleted (without a version), or no such version. Raises `not_found` with
   * its reason for a version whose content was destroyed or pruned.
   */
  read(path: DocumentPath, version?: number): Promise<Content | undefined>;
  /** Undefined: no file there, or an engine without a working tree. Raises `too_large`. */
  copy(path: DocumentPath): Promise<Copy | undefined>;
  /**
   * What lies in the working tree: the live version, or what somebody edited or added by hand a moment ago. The live version too when there
   * is no such file, or the tree can't be read. Raises `too_large`.
   */
  open(path: DocumentPath): Promise<Content | EditedCopy | undefined>;
  history(path: DocumentPath): Promise<FileHistory | undefined>;
  /** Sorted by path. Raises `epoch_changed` for a head of another history, `invalid` for one that is still to come. */
  changesSince(head: Head): Promise<NetChange[]>;
  /** After this number, at most `limit`, in order. */
  log(after: number, limit: number): Promise<LogEntry[]>;
  /**
   * All of it or nothing, durable when it resolves. At most one operation on a path, but for destroys of several versions. A copy in the
   * working tree that somebody edited by hand becomes a version before this is judged. Raises `stale` with `details.current` (version and hash, or null), `not_found`, `conflict` with `details.blocked_by` (a name that
   * is a directory, is the same as another's on some disks, or is taken by something that has no version), `invalid`, and whatever `admit` raises.
   */
  apply(batch: Batch): Promise<Applied>;
  snapshots(): Promise<Snapshot[]>;
  /** Names the present head. Raises `conflict` when the name is taken, and whatever `begin` raises. */
  snapshot(name: string, batch: Pick<Batch, "author" | "begin">): Promise<Snapshot>;
  /** Makes the space what it was then, by new versions. Raises `not_found`, and whatever `admit` raises. */
  restoreSnapshot(id: number, batch: Omit<Batch, "operations">): Promise<Restored>;
  /**
   * As `apply`, but each operation is judged by itself, in their order, and those that are refused are left out. Nothing is recorded beside
   * them: it is for copies in the working tree.
   */
  applyEach(batch: Batch): Promise<AppliedEach>;
  /** Where the working tree could not be written and does not show the live version. Tried again with each write and at the open. Sorted. */
  treeBehind(): readonly DocumentPath[];
  /** A consistent copy of everything that is committed. Raises `conflict` when the path exists. */
  backupTo(path: string): Promise<void>;
  close(): Promise<void>;
}

/** What a space is (its name, template, rules), as text that the engine does not look into. */
export interface SpaceMetadata {
  readonly content: string;
  /** SHA-256 of `space.yaml` as it was last written, hex. */
  readonly written: string;
  /** SHA-256 of `space.yaml` before that; null: there was none. */
  readonly before: string | null;
}

export interface MetadataKeeper {
  /** Null: a space that is half made, or one from before this was kept. */
  get(): SpaceMetadata | null;
  /** Durable when it resolves. `begin` is asked inside the transaction and raises what it raises. */
  set(metadata: SpaceMetadata, begin?: () => void): Promise<void>;
  /** See `Db.prove`. */
  prove(): Promise<void>;
}

/** The engine of one space, with what is kept about the space itself. */
export interface SpaceEngine extends FileEngine {
  readonly metadata: MetadataKeeper;
  /** Undefined: nothing is being written in steps. Otherwise resolves when that has ended. */
  readonly busy: Promise<void> | undefined;
  /** As it is now, for a backup that is read while writes go on. Raises `conflict`, `unavailable`. */
  freeze(): FrozenFile;
}

export interface SpaceEngineOptions {
  /** The space's folder, which is its working tree. Created when it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with what every commit did, whoever asked for it, once it is durable. */
  readonly onApplied?: (applied: Applied, batch: Pick<Batch, "author" | "by">) => void;
  /** Called after each commit with its duration in ms; writes that waited together share one. */
  readonly onCommit?: (ms: number) => void;
}

/** A way to store spaces. */
export interface EngineKind {
  /**
   * Raises `conflict` while another process has the space open, `invalid` and `refused` for a database that can't be used, `unavailable`
   * when the disk refuses.
   */
  open(options: SpaceEngineOptions): SpaceEngine;
  /** Is there a space in the folder, although its file is lost? One that cannot be read counts, so that opening it says why. */
  holdsSpace(directory: string): boolean;
}
