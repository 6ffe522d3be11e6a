// Keeps the text index up to date. Every change leaves an id in the queue, in its own transaction (019_search.sql); this follows, in small writes
// between other work. A write that indexes needs no sync of the disk: after a power failure the queue still has what the index lacks.

import { setTimeout as pause } from "node:timers/promises";
import type { Background } from "../../kit/concurrency/background.ts";
import { Stretch } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { inWrites } from "../../kit/storage/in-writes.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { itemOf, subjectOf, type Subject } from "./index-ids.ts";
import { TEXTS_JOB, type FileText } from "./jobs.ts";
import type { FileRow, SearchStore, SubjectRow } from "./store.ts";
import { piecesOf, split } from "./texts.ts";

const POLL_MS = 500;
/** After a failure, which is usually a full disk. */
const FAILED_MS = 15_000;
/** Between two portions, so that indexing never takes more than about half of the time. */
const PAUSE_MS = 5;
const PORTION_ITEMS = 64;
const FILES_AT_ONCE = 16;
/** Pages of the index that one merge rewrites; takes a few milliseconds while the index has few parts. */
const MERGE_PAGES = 16;
/**
 * A piece of words that all differ fills eight pages, and each page is rewritten once per level of the index. With fewer merges than that, parts
 * would pile up while texts arrive, and a merge takes the longer the more parts there are.
 */
const MERGES_PER_PIECE = 3;
/** In a portion that changed nothing: the rest of earlier merges. */
const MERGES_MIN = 16;
/** A merge that changes fewer rows had nothing to do (FTS5's documentation of `merge`). */
const MERGED_ROWS_MIN = 2;
/** Parts of the index on one level before a write merges all of them at once; regular merges keep far below. */
const PARTS_MAX = 1_000;
/** A search waits for this many writes, of a few milliseconds each, unless there is a backlog. */
const CATCH_UP_WRITES_MAX = 8;
const BACKLOG_ITEMS = 256;

interface IndexingDeps {
  readonly db: Db;
  readonly store: SearchStore;
  readonly workers: WorkerPool;
  readonly background: Background;
  readonly directoryOf: (workspaceId: number) => string;
}

export class Indexing {
  readonly #deps: IndexingDeps;
  readonly #stop = new AbortController();
  /** Items of which the pieces are being replaced over several writes. */
  readonly #underWay = new Set<number>();
  #timer: Timer | undefined;
  /** Pieces that changed since the last merges. */
  #unmerged = 0;
  /** The index may have parts to merge. */
  #isMergeable = true;

  constructor(deps: IndexingDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#deps.background.run("settings of the search index", () => this.#configure());
    this.#again(POLL_MS);
  }

  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  /** Texts that are not indexed yet. */
  get left(): number {
    const { store } = this.#deps;
    return store.queued.get(1) === null ? 0 : store.queuedCount.get()!.count;
  }

  /** Indexes the newest changes, so that a search finds what was said just before it. Leaves a backlog to the background work. */
  async catchUp(): Promise<void> {
    const { db, store } = this.#deps;
    if (store.queued.all(BACKLOG_ITEMS).length === BACKLOG_ITEMS) return;
    try {
      for (let write = 0; write < CATCH_UP_WRITES_MAX; write += 1)
        if (!(await db.write(() => this.#indexSome(), { relaxed: true }))) return;
    } catch {
      // A disk that is full does not prevent searching; the background work reports it.
    }
  }

  async #configure(): Promise<void> {
    const { db, store } = this.#deps;
    if (store.mergesItself.get() === null) return;
    await db.write(
      () => {
        store.configure.run("automerge", 0);
        store.configure.run("crisismerge", PARTS_MAX);
      },
      { relaxed: true },
    );
  }

  #again(ms: number): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      const { store } = this.#deps;
      if (store.isRemoving.get() !== null) this.#isMergeable = true;
      if (this.#unmerged === 0 && !this.#isMergeable && store.queued.get(1) === null)
        return this.#again(POLL_MS);
      this.#deps.background.run("search index", () => this.#run());
    }, ms);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    let next = FAILED_MS;
    try {
      while (!this.#stop.signal.aborted && (await this.#portion())) await pause(PAUSE_MS);
      next = POLL_MS;
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    } finally {
      this.#again(next);
    }
  }

  /** Returns whether anything was done. */
  async #portion(): Promise<boolean> {
    const { db, store } = this.#deps;
    const items = store.queued.all(PORTION_ITEMS).map(({ id }) => id);
    const files = items.filter((item) => subjectOf(item).kind === "file");
    const others = items.filter((item) => subjectOf(item).kind !== "file");
    if (others.length > 0) await inWrites(db, this.#indexing(others), { relaxed: true });
    if (files.length > 0) await this.#indexFiles(files);
    if (this.#unmerged > 0) this.#isMergeable = true;
    const merges = Math.max(MERGES_MIN, this.#unmerged * MERGES_PER_PIECE);
    this.#unmerged = 0;
    if (this.#isMergeable) await inWrites(db, this.#merging(merges), { relaxed: true });
    return items.length > 0 || this.#isMergeable;
  }

  /** Merges until the index has nothing left to merge, or `times` times. */
  *#merging(times: number): Generator<void, void> {
    const { store } = this.#deps;
    for (let time = 0; time < times && !this.#stop.signal.aborted; time += 1) {
      const before = store.totalChanges.get()!.count;
      store.merge.run(MERGE_PAGES);
      this.#isMergeable = store.totalChanges.get()!.count - before >= MERGED_ROWS_MIN;
      if (!this.#isMergeable) return;
      yield;
    }
  }

  /** Returns whether there may be more. */
  #indexSome(): boolean {
    const stretch = new Stretch();
    for (const { id } of this.#deps.store.queued.all(PORTION_ITEMS)) {
      if (subjectOf(id).kind === "file") continue;
      // A long text takes several writes.
      if (this.#piecesOf(subjectOf(id)).length > 1) continue;
      for (const _ of this.#index(id));
      if (stretch.isOver()) return true;
    }
    return false;
  }

  #piecesOf(subject: Subject): string[] {
    const row = this.#rowOf(subject);
    return row ? piecesOf(row.body) : [];
  }

  *#indexing(items: readonly number[]): Generator<void, void> {
    for (const item of items) {
      yield* this.#index(item);
      if (this.#stop.signal.aborted) return;
      yield;
    }
  }

  *#index(item: number): Generator<void, void> {
    const { store } = this.#deps;
    if (this.#underWay.has(item)) return;
    const subject = subjectOf(item);
    const row = this.#rowOf(subject);
    const pieces = row ? piecesOf(row.body) : [];
    const isWhole = subject.kind === "entry" && pieces.length === 1 && pieces[0] === row?.body;
    yield* this.#replace(item, row, isWhole ? [null] : pieces);
    const now = this.#rowOf(subject);
    if (now?.title === row?.title && now?.body === row?.body) store.unqueue.run(item);
  }

  #rowOf({ kind, id }: Subject): SubjectRow | null {
    return kind === "file" ? null : this.#deps.store[kind].get(id);
  }

  /** Replaces the pieces of a text, and yields where the write may end. A name without a text is one piece. */
  *#replace(
    item: number,
    row: Pick<SubjectRow, "workspace_id" | "title"> | null,
    pieces: readonly (string | null)[],
  ): Generator<void, void> {
    const { store } = this.#deps;
    this.#underWay.add(item);
    try {
      for (const { id } of store.pieces.all(item)) {
        store.removePiece.run(id);
        this.#unmerged += 1;
        yield;
      }
      if (!row) return;
      const { workspace_id } = row;
      for (const [index, body] of (pieces.length > 0 ? pieces : [""]).entries()) {
        store.add.run({ id: item + index, workspace_id, title: index === 0 ? split(row.title) : "", body });
        this.#unmerged += 1;
        yield;
      }
    } finally {
      this.#underWay.delete(item);
    }
  }

  async #indexFiles(items: readonly number[]): Promise<void> {
    const { db, store, workers, directoryOf } = this.#deps;
    const rows = items.map((item) => ({ item, row: store.file.get(subjectOf(item).id) }));
    const first = rows.find(({ row }) => row !== null)?.row;
    const gone = rows.filter(({ row }) => row === null).map(({ item }) => item);
    const own = rows
      .flatMap(({ row }) => (row !== null && row.workspace_id === first?.workspace_id ? [row] : []))
      .slice(0, FILES_AT_ONCE);
    const input = {
      directory: first ? directoryOf(first.workspace_id) : "",
      paths: own.map(({ path }) => path),
    };
    const texts = first
      ? await workers.run(TEXTS_JOB, input, { by: "search", signal: this.#stop.signal })
      : [];
    const read = texts.map((text, index) => ({ file: own[index]!, text }));
    await inWrites(db, this.#storing(gone, read), { relaxed: true });
  }

  *#storing(
    gone: readonly number[],
    read: readonly { readonly file: FileRow; readonly text: FileText | null }[],
  ): Generator<void, void> {
    const { store } = this.#deps;
    for (const item of gone) {
      yield* this.#replace(item, null, []);
      store.unqueue.run(item);
    }
    for (const { file, text } of read) {
      const item = itemOf({ kind: "file", id: file.id });
      const row = { workspace_id: file.workspace_id, title: file.path };
      // The workspace may have gone meanwhile.
      const before = store.file.get(file.id);
      yield* this.#replace(item, text && before ? row : null, text?.pieces ?? []);
      const now = store.file.get(file.id);
      if (now !== null && now.changes !== file.changes) continue;
      if (text) store.setFile.run(text.size, text.modified, file.id);
      else store.removeFile.run(file.id);
      store.unqueue.run(item);
    }
  }
}
