// Reads the present and past of a space: listings, contents, histories, changes. Writes neither rows nor files.

import { rfc3339, Stretch, turnOfOthers } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/error.ts";
import { AFTER_SLASH, type DocumentPath } from "../../../kit/text/paths.ts";
import { sortedTexts } from "../../../kit/concurrency/sort-in-turns.ts";
import { headText } from "../head.ts";
import type { Content, Copy, EditedCopy, Effect, ListQuery, LogEntry } from "../engine.ts";
import { fileError } from "../file-error.ts";
import { type FileHistory, type FileRecord, type NetChange } from "../schema.ts";
import { pagesOf } from "../../../kit/storage/pages.ts";
import type { Query } from "../../../kit/storage/statement.ts";
import { refusalOf } from "./adoptable.ts";
import { decode, decodeAside, type Stored } from "../coding.ts";
import { versionsOf } from "./history.ts";
import type { Mirror } from "./mirror.ts";
import type { RecentContents } from "./content-cache.ts";
import { addRefused, toChange, toRecord } from "./records.ts";
import type { FileRow, FileRowWithCopy, SpaceStore } from "./store.ts";
import type { TreeFile } from "./tree-file.ts";
import { keepUnedited, uneditedMoment } from "./unedited.ts";
import type { RefusedEntry } from "./walk.ts";

/** The rows processed between two yields: about 5 ms of work. */
const ROWS_PER_STRETCH = 1_000;
const FILES_PER_STRETCH = 200;
/** Looked at without a pause: a few milliseconds. */
const FILES_AT_ONCE_MAX = 16;
/** In each, fewer files change than in the one before, unless others write all the time. */
const ROUNDS_MAX = 8;
/** Fewer files are looked at in less time than remembering takes. */
const GLANCE_FILES_MIN = 1_000;

/** Up to this size, a content is read in less than a millisecond. */
const SMALL_BYTES_MAX = 512 * 1024;

interface FoundVersion {
  readonly path: DocumentPath;
  readonly version: number;
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  readonly blob: number;
}

type PastRecord = FileRecord & { readonly version: number };

export class Reading {
  readonly #store: SpaceStore;
  readonly #mirror: Mirror;
  readonly #recent: RecentContents;
  readonly #own: string | undefined;
  #recalls: boolean;

  /**
   * `recalls`: trusts the signatures of the working tree that an earlier process stored; false: reads every file. `own`: the directory `.cairn` of a space
   * that each command opens again.
   */
  constructor(
    store: SpaceStore,
    mirror: Mirror,
    recent: RecentContents,
    { recalls, own }: { readonly recalls: boolean; readonly own?: string | undefined },
  ) {
    this.#store = store;
    this.#mirror = mirror;
    this.#recent = recent;
    this.#recalls = recalls;
    this.#own = own;
  }

  async list({ prefix, deleted = false, at }: ListQuery): Promise<FileRecord[]> {
    if (at !== undefined) return this.#listAsOf(this.seqAt(at), prefix);
    const { seq } = this.#store.space.get()!;
    const isWhole = prefix === undefined && this.#recalls && this.#own !== undefined;
    const remembered = isWhole ? uneditedMoment(this.#own!) : undefined;
    // Threads look at the files meanwhile.
    const recording = remembered === undefined ? undefined : this.#recorded(deleted);
    const [moment, recorded] = await Promise.all([isWhole ? this.#moment(recording) : undefined, recording]);
    if (recorded && moment === remembered) return this.#listUnedited(recorded, seq, deleted);
    const rows = await (this.#recalls ? this.#recalledRows(prefix) : this.rows(prefix));
    const records = new Map<string, FileRecord>();
    const copies = new Map<string, TreeFile>();
    const refused = new Map<string, RefusedEntry>();
    let count = 0;
    for (const entry of await this.#mirror.entries(prefix)) {
      if ("refused" in entry) refused.set(entry.path, entry);
      else copies.set(entry.path, entry);
      if (++count % FILES_PER_STRETCH === 0) await turnOfOthers();
    }
    const keep = (path: DocumentPath, row: FileRow | null, copy: TreeFile | undefined) => {
      const record = this.#record(row, copy);
      if (record && (deleted || record.state !== "deleted")) records.set(path, record);
      else records.delete(path);
    };
    for (const row of rows) {
      keep(row.path as DocumentPath, row, copies.get(row.path));
      copies.delete(row.path);
      if (++count % ROWS_PER_STRETCH === 0) await turnOfOthers();
    }
    for (const copy of copies.values()) keep(copy.path, null, copy);
    if (moment !== undefined && refused.size === 0 && records.values().every(isRecorded))
      await keepUnedited(this.#own!, moment);
    await this.#readAgain(seq, (row) => {
      const path = row.path as DocumentPath;
      if (isBelow(path, prefix)) keep(path, row, this.#mirror.look(path));
    });
    addRefused(records, refused.values());
    return inOrder(records);
  }

  /** The change of the log with the fingerprint of the files. Undefined: not worth it, or unknown. `first`: work that comes before it. */
  async #moment(first: Promise<unknown> | undefined): Promise<string | undefined> {
    const { seq, epoch, files } = this.#store.space.get()!;
    if (files < GLANCE_FILES_MIN) return undefined;
    await this.#mirror.following.settled();
    const glance = await this.#mirror.glance(first);
    return glance && `${headText({ epoch, seq })} ${glance.fingerprint}`;
  }

  /** The records of files as their versions say, in order. */
  async #recorded(deleted: boolean): Promise<FileRecord[]> {
    const records = new Map<string, FileRecord>();
    let count = 0;
    for (const row of await this.rows()) {
      if (row.live !== null || deleted)
        records.set(row.path, toRecord(row, row.live === null ? "deleted" : "live"));
      if (++count % ROWS_PER_STRETCH === 0) await turnOfOthers();
    }
    return inOrder(records);
  }

  /** As `list` of the whole space, if every file on disk was as its version says at change `seq`. */
  async #listUnedited(recorded: FileRecord[], seq: number, deleted: boolean): Promise<FileRecord[]> {
    if (this.#store.space.get()!.seq === seq) return recorded;
    const records = new Map<string, FileRecord>(recorded.map((record) => [record.path, record]));
    await this.#readAgain(seq, (row) => {
      const path = row.path as DocumentPath;
      const record = this.#record(row, this.#mirror.look(path));
      if (record && (deleted || record.state !== "deleted")) records.set(path, record);
      else records.delete(path);
    });
    return inOrder(records);
  }

  /**
   * Reads files that changed after `seq`, so that a list shows all of them at one moment: the last few without a pause. Others may write thousands
   * meanwhile, so those are read with pauses first.
   */
  async #readAgain(seq: number, read: (row: FileRow) => void): Promise<void> {
    let from = seq;
    const stretch = new Stretch();
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
      const changed = this.#store.changedSince.all(from);
      if (changed.length <= FILES_AT_ONCE_MAX) break;
      from = this.#store.space.get()!.seq;
      for (const row of changed) {
        await this.#mirror.following.settled(row.path as DocumentPath);
        read(row);
        if (stretch.isOver()) await turnOfOthers();
      }
    }
    for (const row of this.#store.changedSince.all(from)) read(row);
  }

  /** Trusts the stored signatures of the whole working tree, so that looking at all of it reads only files that differ. */
  async recall(): Promise<void> {
    if (this.#recalls) await this.#recalledRows(undefined);
  }

  liveFiles(after: string, before: string, limit: number): FileRecord[] {
    return this.#store.liveFilesFrom.all(after, before, limit).map((row) => toRecord(row, "live"));
  }

  deletedFiles(before: number, limit: number): { id: number; record: FileRecord }[] {
    const rows = this.#store.deletedBefore.all(before, limit);
    return rows.map((row) => ({ id: row.id, record: toRecord(row, "deleted") }));
  }

  livePaths(after: string, limit: number): DocumentPath[] {
    return this.#store.livePaths.values(after, limit).map(([path]) => path as DocumentPath);
  }

  live(path: DocumentPath): NonNullable<Effect["after"]> | undefined {
    const row = this.#store.file.get(path);
    return row && row.live !== null ? { version: row.live, size: row.size, hash: row.hash } : undefined;
  }

  stat(path: DocumentPath): FileRecord | undefined {
    const row = this.#store.fileWithCopy.get(path);
    if (row && this.#recalls) this.#mirror.recall(row);
    return this.#record(row, this.#mirror.look(path));
  }

  read(path: DocumentPath, version?: number): Content | undefined {
    const found = this.#found(path, version);
    return found && this.#content(found);
  }

  /** As `read`; "large": it is not decoded, which takes milliseconds. */
  readIfSmall(path: DocumentPath, version?: number): Content | "large" | undefined {
    const found = this.#found(path, version);
    if (found && found.size > SMALL_BYTES_MAX) return "large";
    return found && this.#content(found);
  }

  /** As `read`, for a large content: another thread decodes it. */
  async readLarge(path: DocumentPath, version?: number): Promise<Content | undefined> {
    const found = this.#found(path, version);
    return found && this.#contentAside(found);
  }

  #found(path: DocumentPath, version: number | undefined): FoundVersion | undefined {
    const row = this.#store.file.get(path);
    return this.#version(row, version ?? row?.live ?? undefined);
  }

  /** As `read`, without decoding the content. */
  stored(path: DocumentPath, version: number): Stored | undefined {
    const found = this.#version(this.#store.file.get(path), version);
    return found && this.#store.blob.get(found.blob)!;
  }

  #content({ path, version, hash, blob }: FoundVersion): Content {
    const bytes = this.#recent.get(hash, () => decode(this.#store.blob.get(blob)!));
    return { path, version, hash, bytes };
  }

  async #contentAside({ path, version, hash, blob }: FoundVersion): Promise<Content> {
    return { path, version, hash, bytes: await decodeAside(this.#store.blob.get(blob)!) };
  }

  /** Raises `not_found` for a version whose content is gone. */
  #version(row: FileRow | null, version: number | undefined): FoundVersion | undefined {
    if (!row || version === undefined) return undefined;
    const found = this.#store.version.get(row.id, version);
    if (!found) return undefined;
    const path = row.path as DocumentPath;
    if (found.blob_id === null)
      throw fileError("not_found", path, `the content of v${version} was ${found.gone}`);
    return { path, version, hash: found.hash, size: found.size, blob: found.blob_id };
  }

  copy(path: DocumentPath): Copy | undefined {
    return this.#mirror.read(path);
  }

  /** Another thread decodes the content. */
  async openLarge(path: DocumentPath): Promise<Content | EditedCopy | undefined> {
    return this.#editedCopy(path, this.#store.file.get(path)) ?? this.readLarge(path);
  }

  /** As `openLarge`, at once; "large" as in `readIfSmall`. */
  openIfSmall(path: DocumentPath): Content | EditedCopy | "large" | undefined {
    const row = this.#store.file.get(path);
    if (row && row.size > SMALL_BYTES_MAX) return "large";
    return this.#editedCopy(path, row) ?? this.#live(row);
  }

  /** As `#content`, without reading the version row, which would add nothing to the file row. */
  #live(row: FileRow | null): Content | undefined {
    if (!row || row.live === null) return undefined;
    const { path, live: version, hash } = row;
    return { path: path as DocumentPath, version, hash, bytes: this.#mirror.contentOf(row) };
  }

  #editedCopy(path: DocumentPath, row: FileRow | null): EditedCopy | undefined {
    try {
      return this.#mirror.trusting.editedLately(path, row);
    } catch (error) {
      // The recorded version is still available.
      if (error instanceof AppError && error.code === "unavailable") return undefined;
      throw error;
    }
  }

  /** Yields in between. */
  async history(path: DocumentPath): Promise<FileHistory | undefined> {
    const row = this.#store.file.get(path);
    if (!row) return this.#mirror.look(path) && { path, tracked: false, current: null, versions: [] };
    return { path, tracked: true, current: row.live, versions: await versionsOf(this.#store, row.id) };
  }

  /** Yields in between, so a file may have changed again meanwhile. */
  async changesSince(seq: number): Promise<NetChange[]> {
    if (seq > this.#store.space.get()!.seq)
      throw new AppError("invalid", "since: that head is in the future");
    const changes: NetChange[] = [];
    const stretch = new Stretch();
    for (const { id } of this.#store.idsChangedSince.all(seq)) {
      changes.push(toChange(this.#store.fileById.get(id)!));
      if (stretch.isOver()) await turnOfOthers();
    }
    return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** `upTo`: the last committed change. */
  log(after: number, limit: number, upTo: number): LogEntry[] {
    return this.#store.changesAfter
      .all(after, limit)
      .filter(({ seq }) => seq <= upTo)
      .map(({ created_at: time, path, ...rest }) => ({ ...rest, path: path as DocumentPath, time }));
  }

  /** Returns the files as they were after that change, sorted by path. The content of some may no longer be stored. */
  async asOf(seq: number): Promise<PastRecord[]> {
    const records: PastRecord[] = [];
    const pages = pagesOf(
      (after) => this.#store.asOf.all(seq, after, ROWS_PER_STRETCH),
      ({ path }) => path,
      "",
      ROWS_PER_STRETCH,
    );
    for (const rows of pages) {
      for (const { path, version, size, hash, author, created_at: time } of rows)
        records.push({ path, version, size, hash, updated_at: rfc3339(time), author, state: "live" });
      await turnOfOthers();
    }
    return records;
  }

  /** The past does not change, so reading may pause. */
  async #listAsOf(seq: number, prefix: DocumentPath | undefined): Promise<FileRecord[]> {
    return (await this.asOf(seq)).filter(({ path }) => isBelow(path, prefix));
  }

  #record(row: FileRow | null, copy: TreeFile | undefined): FileRecord | undefined {
    const state = this.#mirror.trusting.stateOf(row, copy);
    if (typeof state === "object") return this.#judged(state);
    return row ? toRecord(row, state ?? "deleted") : undefined;
  }

  /** Marks an untracked file that `adopt` would refuse. */
  #judged(untracked: FileRecord): FileRecord {
    const refused = refusalOf(this.#store, untracked);
    return refused ? { ...untracked, state: "refused", refused } : untracked;
  }

  /** As `rows`. Once for each file of a process: from then on, the working tree knows the signatures. */
  async #recalledRows(prefix: DocumentPath | undefined): Promise<FileRow[]> {
    const { allFilesWithCopies, filesWithCopiesFrom } = this.#store;
    const recall = (row: FileRowWithCopy) => this.#mirror.recall(row);
    if (prefix !== undefined) return this.#below(prefix, filesWithCopiesFrom, recall);
    const rows = await this.#all(allFilesWithCopies, recall);
    this.#recalls = false;
    return rows;
  }

  /** Returns the rows of all files below the prefix, including deleted ones. Pauses in between. */
  rows(prefix?: DocumentPath): Promise<FileRow[]> {
    return prefix === undefined
      ? this.#all(this.#store.allFiles, () => {})
      : this.#below(prefix, this.#store.filesFrom, () => {});
  }

  async #all<Row extends FileRow>(
    filesAfter: Query<Row, [number, number]>,
    look: (row: Row) => void,
  ): Promise<FileRow[]> {
    const page = (after: number) => filesAfter.all(after, ROWS_PER_STRETCH);
    return collected(
      [],
      pagesOf(page, ({ id }) => id, 0, ROWS_PER_STRETCH),
      look,
    );
  }

  async #below<Row extends FileRow>(
    prefix: DocumentPath,
    filesFrom: Query<Row, [string, string, number]>,
    look: (row: Row) => void,
  ): Promise<FileRow[]> {
    const itself = this.#store.file.get(prefix);
    const rows: FileRow[] = itself ? [itself] : [];
    const end = `${prefix}${AFTER_SLASH}`;
    const page = (after: string) => filesFrom.all(after, end, ROWS_PER_STRETCH);
    return collected(
      rows,
      pagesOf(page, ({ path }) => path, `${prefix}/`, ROWS_PER_STRETCH),
      look,
    );
  }

  /** Returns the last change at or before that time. Times in the log never decrease, and its numbers have no gaps. */
  seqAt(at: { seq: number } | { time: number }): number {
    const { seq } = this.#store.space.get()!;
    if ("seq" in at) {
      if (at.seq > seq) throw new AppError("invalid", "at: that head is in the future");
      return at.seq;
    }
    let [low, high] = [0, seq];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#store.timeOf.get(middle)?.created_at ?? 0) <= at.time) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Adds the rows of all pages to `rows`. Pauses in between. */
async function collected<Row extends FileRow>(
  rows: FileRow[],
  pages: Iterable<Row[]>,
  look: (row: Row) => void,
): Promise<FileRow[]> {
  for (const page of pages) {
    for (const row of page) {
      look(row);
      rows.push(row);
    }
    if (page.length === ROWS_PER_STRETCH) await turnOfOthers();
  }
  return rows;
}

/** By the paths, in UTF-16 units. */
async function inOrder(records: ReadonlyMap<string, FileRecord>): Promise<FileRecord[]> {
  return (await sortedTexts([...records.keys()])).map((path) => records.get(path)!);
}

function isRecorded({ state }: FileRecord): boolean {
  return state === "live" || state === "deleted";
}

function isBelow(path: string, prefix: string | undefined): boolean {
  return prefix === undefined || path === prefix || path.startsWith(`${prefix}/`);
}
