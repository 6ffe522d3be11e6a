// The embedded engine: a SQLite database and a working tree in one folder. Queued writes share a commit. Each batch is planned inside it before
// anything is written, and a refused batch is rolled back alone (applying.ts).

import { join } from "node:path";
import { Ongoing } from "../../../kit/concurrency/background.ts";
import { ownTurn, Stretch, turnOfOthers, type Clock } from "../../../kit/clock.ts";
import type { FrozenFile } from "../../../kit/storage/frozen-copy.ts";
import { openDatabase, type Db } from "../../../kit/storage/db.ts";
import { AppError, fieldError, messageOf, notFound } from "../../../kit/error.ts";
import type { Log } from "../../../kit/log.ts";
import { migrate } from "../../../kit/storage/migrate.ts";
import type { DocumentPath } from "../../../kit/text/paths.ts";
import { randomHex } from "../../../kit/random.ts";
import { StepGate } from "../../../kit/concurrency/step-gate.ts";
import type {
  Applied,
  AppliedEach,
  Batch,
  Content,
  Copy,
  Declaration,
  EditedCopy,
  EditedOutlines,
  Effect,
  SpaceEngine,
  SpaceEngineOptions,
  Head,
  ListQuery,
  LogEntry,
  Look,
  Operation,
  Outline,
  Outlines,
  Restored,
} from "../engine.ts";
import { headText } from "../head.ts";
import type { Stored } from "../coding.ts";
import type { FileHistory, FileRecord, NetChange, Snapshot, Totals } from "../schema.ts";
import { Applying, AT_ONCE_MAX } from "./applying.ts";
import { checkShape, totalsOf } from "./batch.ts";
import { removeDerived } from "./derived-files.ts";
import { spaceMigrations, spaceSchema } from "./migrations/migrations.ts";
import { Metadata } from "./metadata.ts";
import { Mirror } from "./mirror.ts";
import { damageOf, makeDirectory } from "./opening.ts";
import { Outlining } from "./outlining.ts";
import { codedOf, keptAlready, prepare } from "./preparing.ts";
import { Reading } from "./reading.ts";
import { RecentContents } from "./content-cache.ts";
import { toSnapshot, TREE_AUTHOR } from "./records.ts";
import { differenceTo } from "./restoring.ts";
import { Staging } from "./staging.ts";
import { spaceStore, type SpaceStore } from "./store.ts";
import { Tree } from "./tree.ts";

const OWN_DIRECTORY = ".cairn";
const EPOCH_BITS = 48;
/** An operating system writes its cache to disk within half a minute, so a power cut cannot lose file content older than this. */
const WRITTEN_OUT_MS = 120_000;
/** The attempts to restore: each concurrent write requires a new one. */
const RESTORE_LOOKS_MAX = 5;
/** For a batch without deletes. */
const NONE: ReadonlySet<string> = new Set();

/** Raises `conflict` while another process has the space open, `invalid` or `refused` for an unusable database, `unavailable`. */
export function openSqliteEngine(options: SpaceEngineOptions): SqliteEngine {
  const own = options.databases ?? join(options.directory, OWN_DIRECTORY);
  makeDirectory(own);
  const db = openDatabase(join(own, "space.db"), (error) =>
    options.log.error("a callback after a commit failed", { error: messageOf(error) }),
  );
  if (options.pages) db.copyPagesTo(options.pages);
  if (options.workers) db.checkpointIn(options.workers);
  if (options.onCommit) db.watchCommits(() => options.clock.elapsed(), options.onCommit);
  try {
    migrate(db, spaceMigrations, options.clock.now(), { whole: spaceSchema });
    return new SqliteEngine(db, options);
  } catch (error) {
    db.close();
    throw damageOf(db.path, error);
  }
}

export class SqliteEngine implements SpaceEngine {
  readonly metadata: Metadata;
  readonly directory: string;
  readonly databases: string;
  readonly #db: Db;
  readonly #store: SpaceStore;
  readonly #mirror: Mirror;
  readonly #reader: Reading;
  readonly #applying: Applying;
  readonly #staging: Staging;
  readonly #outlining: Outlining;
  readonly #gate = new StepGate();
  readonly #clock: Clock;
  readonly #log: Log;
  /** Work with pauses that still uses the database. */
  readonly #running = new Ongoing();
  /** Raised once the space is closed. */
  #refusal: AppError | undefined;

  constructor(db: Db, options: SpaceEngineOptions) {
    const { directory, clock, log, lookers, onApplied = () => {} } = options;
    const own = join(directory, OWN_DIRECTORY);
    const databases = options.databases ?? own;
    this.directory = directory;
    this.databases = databases;
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#store = spaceStore(db);
    this.metadata = new Metadata(db, this.#store);
    const recent = new RecentContents();
    const tree = new Tree(directory, { lookers });
    this.#mirror = new Mirror({ store: this.#store, tree, recent, clock, log });
    this.#reader = new Reading(this.#store, this.#mirror, recent, { recalls: true, own: lookers && own });
    this.#applying = new Applying({
      db,
      store: this.#store,
      mirror: this.#mirror,
      recent,
      gate: this.#gate,
      clock,
      removeDerived: () => removeDerived(databases),
      onApplied,
    });
    this.#staging = new Staging(db, this.#store);
    this.#outlining = new Outlining(this.#store, this.#mirror, this.#reader);
    const { space, lastTime, storedTreeSeq } = this.#applying;
    if (space.epoch === "") this.#beginEpoch();
    this.#staging.sweep();
    const { treeAt } = options;
    this.#mirror.following.catchUp(treeAt && (treeAt.epoch === space.epoch ? treeAt.seq : 0));
    const wasClosed = storedTreeSeq === space.seq;
    if (!wasClosed && !treeAt)
      this.#mirror.following.mend(this.#reader.seqAt({ time: lastTime - WRITTEN_OUT_MS }), storedTreeSeq);
  }

  head(): Head {
    const { epoch, seq } = this.#applying.space;
    return { epoch, seq };
  }

  totals(): Totals {
    return totalsOf(this.#applying.space);
  }

  async list(query: ListQuery = {}): Promise<FileRecord[]> {
    return this.#running.keep(this.#gate.read(() => this.#reading.list(query)));
  }

  async liveFiles(after: string, before: string, limit: number): Promise<FileRecord[]> {
    if (this.#gate.isClosed) await this.#gate.opened();
    return this.#reading.liveFiles(after, before, limit);
  }

  async deletedFiles(before: number | undefined, limit: number) {
    if (this.#gate.isClosed) await this.#gate.opened();
    return this.#reading.deletedFiles(before ?? Number.MAX_SAFE_INTEGER, limit);
  }

  async livePaths(after: string, limit: number): Promise<DocumentPath[]> {
    if (this.#gate.isClosed) await this.#gate.opened();
    return this.#reading.livePaths(after, limit);
  }

  async live(path: DocumentPath): Promise<NonNullable<Effect["after"]> | undefined> {
    if (this.#gate.isClosed) await this.#gate.opened();
    return this.#reading.live(path);
  }

  async stat(path: DocumentPath): Promise<FileRecord | undefined> {
    return this.#settled(path, () => this.#reading.stat(path));
  }

  async read(path: DocumentPath, version?: number): Promise<Content | undefined> {
    if (this.#gate.isClosed) await this.#gate.opened();
    const content = this.#reading.readIfSmall(path, version);
    return content === "large" ? this.#alone(() => this.#reading.readLarge(path, version)) : content;
  }

  async stored(path: DocumentPath, version: number): Promise<Stored | undefined> {
    if (this.#gate.isClosed) await this.#gate.opened();
    return this.#reading.stored(path, version);
  }

  async copy(path: DocumentPath): Promise<Copy | undefined> {
    return this.#settled(path, () => this.#reading.copy(path));
  }

  async open(path: DocumentPath): Promise<Content | EditedCopy | undefined> {
    if (this.#gate.isClosed) await this.#gate.opened();
    const content = this.#reading.openIfSmall(path);
    return content === "large" ? this.#alone(() => this.#reading.openLarge(path)) : content;
  }

  /** For work of a few milliseconds, which several requests may ask for at once. */
  async #alone<T>(work: () => T | Promise<T>): Promise<T> {
    await ownTurn();
    if (this.#gate.isClosed) await this.#gate.opened();
    return work();
  }

  async history(path: DocumentPath): Promise<FileHistory | undefined> {
    return this.#settled(path, () => this.#reading.history(path));
  }

  async changesSince(head: Head): Promise<NetChange[]> {
    if (head.epoch !== this.#applying.space.epoch)
      throw new AppError(
        "epoch_changed",
        "the space was restored from a backup since then; start over from its files",
        { head: headText(this.head()) },
      );
    return this.#running.keep(this.#gate.read(() => this.#reading.changesSince(head.seq)));
  }

  async outlines(before?: Outlines): Promise<Outlines> {
    this.#requireOpen();
    return this.#running.keep(this.#gate.read(() => this.#outlining.outlines(before)));
  }

  async look(): Promise<Look | undefined> {
    await this.settled();
    const head = headText(this.head());
    const look = await this.#running.keep(this.#mirror.lookAtAll(this.#clock.now()));
    return look && { ...look, fingerprint: `${head} ${look.fingerprint}` };
  }

  async glance(): Promise<string | undefined> {
    await this.settled();
    const head = headText(this.head());
    const glance = await this.#running.keep(this.#mirror.glance());
    return glance && `${head} ${glance.fingerprint}`;
  }

  outline(path: DocumentPath): Promise<Outline | undefined> {
    return this.#settled(path, () => this.#outlining.outline(path));
  }

  async declarations(): Promise<Declaration[]> {
    this.#requireOpen();
    return this.#running.keep(this.#gate.read(() => this.#outlining.declarations()));
  }

  async editedOutlines(): Promise<EditedOutlines> {
    this.#requireOpen();
    return this.#running.keep(this.#gate.read(() => this.#outlining.edited()));
  }

  async log(after: number, limit: number): Promise<LogEntry[]> {
    return this.#reading.log(after, limit, this.#applying.space.seq);
  }

  async apply(batch: Batch): Promise<Applied> {
    this.#requireOpen();
    checkShape(batch.operations);
    if (this.#gate.isClosed || batch.operations.length > AT_ONCE_MAX)
      return this.#running.keep(this.#applyLater(batch));
    const edits = this.#handEdits(batch.operations);
    if (edits.length === 0) return this.#commit(batch);
    return this.#running.keep(this.#record(edits, batch).then(() => this.#commit(batch)));
  }

  async #applyLater(batch: Batch): Promise<Applied> {
    await this.#record(await this.#handEditsOfMany(batch.operations), batch);
    return this.#commit(batch);
  }

  async snapshots(): Promise<Snapshot[]> {
    this.#requireOpen();
    return this.#store.snapshots.all().map((row) => toSnapshot(row, this.#applying.space.epoch));
  }

  snapshot(name: string, { author, begin }: Pick<Batch, "author" | "begin">): Promise<Snapshot> {
    return this.#db.write(() => {
      begin?.();
      if (this.#store.snapshotByName.get(name))
        throw fieldError("conflict", "name", `a snapshot "${name}" already exists`);
      const { seq, epoch } = this.#store.space.get()!;
      const created_at = this.#clock.now();
      const { id } = this.#store.insertSnapshot.get({ name, seq, author, created_at })!;
      return toSnapshot({ id, name, seq, author, created_at }, epoch);
    });
  }

  async restoreSnapshot(id: number, batch: Omit<Batch, "operations">): Promise<Restored> {
    this.#requireOpen();
    const row = this.#store.snapshotById.get(id);
    if (!row) throw notFound("snapshot", id);
    return this.#running.keep(this.#restored(row.seq, batch));
  }

  async #restored(seq: number, batch: Omit<Batch, "operations">): Promise<Restored> {
    const found = () => this.#gate.read(() => differenceTo(this.#store, this.#reader, seq));
    await this.#record(await this.#handEditsOfMany((await found()).operations), batch);
    for (let looks = 0; looks < RESTORE_LOOKS_MAX; looks += 1) {
      const { operations, lost, at } = await found();
      const prepared = await prepare(operations);
      // A concurrent write must be undone too, which needs another attempt.
      const isStill = () => this.#store.space.get()!.seq === at;
      const applied = await this.#applying.write(batch, prepared, keptAlready(prepared), isStill);
      if (applied) return { ...applied, lost };
    }
    throw new AppError("conflict", "the space keeps changing; try again when there are fewer writes");
  }

  async applyEach(batch: Batch): Promise<AppliedEach> {
    this.#requireOpen();
    const prepared = await prepare(batch.operations);
    const coded = await codedOf(prepared);
    return this.#db.write(() => this.#applying.applyEachIn(batch, prepared, coded), { repeatable: true });
  }

  treeBehind(): readonly DocumentPath[] {
    return this.#mirror.following.behind();
  }

  whyBehind(path: DocumentPath): string | undefined {
    return this.#mirror.following.whyBehind(path);
  }

  /** Updates the working tree now, completely or up to this path; otherwise it follows within a moment. */
  settle(path?: DocumentPath): void {
    this.#mirror.following.settle(path);
  }

  settled(): Promise<void> {
    this.#requireOpen();
    return this.#running.keep(this.#gate.read(() => this.#mirror.following.settled()));
  }

  get busy(): Promise<void> | undefined {
    return this.#gate.isClosed ? this.#gate.opened() : this.#db.checkpointing;
  }

  checkpointed(): Promise<void> {
    return this.#db.checkpointed();
  }

  /** Freezes the database, so that it can be copied while writes continue. Excludes unrecorded manual edits. Raises `conflict` while busy. */
  freeze(): FrozenFile {
    this.#requireOpen();
    return this.#db.freeze();
  }

  /** Finishes running work first. */
  async close(refusal = new AppError("unavailable", "the space was closed")): Promise<void> {
    if (this.#refusal) return;
    this.#refusal = refusal;
    await this.#running.ended();
    // Running writes commit before this one, and the tree settles before the number is read.
    await this.#db.write(() => undefined).catch(() => undefined);
    this.#mirror.following.settle();
    try {
      await this.#db.write(() => this.#store.setFollower.run(this.#mirror.following.safeSeq, "tree"));
      while (await this.#db.write(() => this.#mirror.keepSignatures()));
    } catch (error) {
      // The next open only has to check more files.
      this.#log.warn("cannot store the state of the working tree at close", { error: messageOf(error) });
    }
    this.#mirror.close();
    await this.#db.checkpointing;
    this.#db.close(refusal);
  }

  /** For a space restored from a backup: starts a new history, so that clients stop and ask, and writes the working tree. */
  newEpoch(): void {
    this.#beginEpoch();
    this.#mirror.following.catchUp(0);
  }

  /** Raises after close. */
  get #reading(): Reading {
    this.#requireOpen();
    return this.#reader;
  }

  #requireOpen(): void {
    if (this.#refusal) throw this.#refusal;
  }

  #beginEpoch(): void {
    const epoch = randomHex(EPOCH_BITS);
    this.#db.writeNow(() => this.#store.setEpoch.run(epoch));
    this.#applying.space = { ...this.#applying.space, epoch };
  }

  /** Returns the manual edits to record first, so that they are never overwritten and the operations are judged against them. */
  #handEdits(operations: readonly Operation[]): Operation[] {
    const leaving = leavingOf(operations);
    return operations.flatMap((operation) => this.#handEditsOf(operation, leaving));
  }

  #handEditsOf({ op, path }: Operation, leaving: ReadonlySet<string>): Operation[] {
    return op === "destroy"
      ? []
      : this.#mirror.trusting.handEdits(path, op === "delete" ? undefined : leaving);
  }

  /** As `#handEdits`, with pauses, because each operation checks the tree. */
  #handEditsOfMany(operations: readonly Operation[]): Promise<Operation[]> {
    return this.#gate.read(async () => {
      const edits: Operation[] = [];
      const stretch = new Stretch();
      const leaving = leavingOf(operations);
      for (const operation of operations) {
        edits.push(...this.#handEditsOf(operation, leaving));
        if (stretch.isOver()) await turnOfOthers();
      }
      return edits;
    });
  }

  #settled<T>(path: DocumentPath, look: () => T | Promise<T>): Promise<T> {
    return this.#gate.read(async () => {
      await this.#mirror.following.settled(path);
      return look();
    });
  }

  async #record(
    edits: readonly Operation[],
    { inspectEdits, admitEdits }: Pick<Batch, "inspectEdits" | "admitEdits">,
  ): Promise<void> {
    if (edits.length === 0) return;
    await inspectEdits?.(edits);
    await this.#commit({ operations: edits, author: TREE_AUTHOR, ...(admitEdits && { admit: admitEdits }) });
  }

  async #commit(batch: Batch): Promise<Applied> {
    const prepared = await prepare(batch.operations);
    const coded = await codedOf(prepared);
    const write = () => this.#applying.write(batch, prepared, coded) as Promise<Applied>;
    return this.#staging.around(coded, write);
  }
}

function leavingOf(operations: readonly Operation[]): ReadonlySet<string> {
  const deletes = operations.filter(({ op }) => op === "delete");
  return deletes.length === 0 ? NONE : new Set<string>(deletes.map(({ path }) => path));
}
