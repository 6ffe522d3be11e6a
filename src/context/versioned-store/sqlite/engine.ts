// The embedded engine: one SQLite database and a working tree in one folder. All writes that wait together share one commit; each batch is
// planned inside it before anything is written, and undone alone when it is refused.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Ongoing } from "../../../kit/background.ts";
import { Stretch, turnOfOthers, type Clock } from "../../../kit/clock.ts";
import { openDatabase, type Db, type FrozenFile } from "../../../kit/db.ts";
import { AppError, messageOf, notFound, systemCode } from "../../../kit/error.ts";
import type { Log } from "../../../kit/log.ts";
import { migrate } from "../../../kit/migrate.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../../kit/modes.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import { randomHex } from "../../../kit/random.ts";
import type {
  Applied,
  AppliedEach,
  Batch,
  Content,
  Copy,
  EditedCopy,
  Effect,
  SpaceEngine,
  SpaceEngineOptions,
  Head,
  ListQuery,
  LogEntry,
  Operation,
  Restored,
} from "../engine.ts";
import { headText } from "../head.ts";
import type { FileHistory, FileRecord, NetChange, Snapshot, Totals } from "../schema.ts";
import { checkShape, planOf, planSteps, refuseClashes, totalsOf, type Prepared } from "./batch.ts";
import type { Coded } from "./coding.ts";
import { spaceMigrations } from "./migrations/migrations.ts";
import { Metadata } from "./metadata.ts";
import { Mirror } from "./mirror.ts";
import { codedOf, keptAlready, prepare } from "./preparing.ts";
import { Reading } from "./reading.ts";
import { RecentContents } from "./recent.ts";
import { toSnapshot, TREE_AUTHOR } from "./records.ts";
import { Staging } from "./staging.ts";
import { SpaceStore, type SpaceRow } from "./store.ts";
import { Tree } from "./tree.ts";
import { WordIndex } from "./words.ts";
import { Writing } from "./writing.ts";

const EPOCH_BITS = 48;
/** Changes: a statement less in each commit, for so many more files to look at after a crash. */
const FOLLOWER_STORED_EVERY = 64;
/** Changes whose files are looked at after a crash in any case. Also marks that the space is open: it was not closed while fewer are followed. */
const LOOKED_AT_AFTER_CRASH = 256;
/** A system brings what was written to the disk in half a minute; what is older than this, a power cut does not take. */
const WRITTEN_OUT_MS = 120_000;
/** Of what a restore has to do: each is made anew when somebody wrote meanwhile. */
const RESTORE_LOOKS_MAX = 5;
/** Of a batch that deletes nothing. */
const NONE: ReadonlySet<string> = new Set();

/**
 * Raises `conflict` while another process has the space open, `invalid` and `refused` for a database that can't be used, `unavailable`
 * when the disk refuses.
 */
export function openSqliteEngine(options: SpaceEngineOptions): SqliteEngine {
  const own = join(options.directory, ".cairn");
  makeDirectory(own);
  const db = openDatabase(join(own, "space.db"), (error) =>
    options.log.error("a callback after a commit failed", { error: messageOf(error) }),
  );
  if (options.onCommit) db.watchCommits(() => options.clock.elapsed(), options.onCommit);
  try {
    migrate(db, spaceMigrations, options.clock.now());
    return new SqliteEngine(db, options);
  } catch (error) {
    db.close();
    throw damageOf(db.path, error);
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  } catch (error) {
    throw new AppError("unavailable", `${directory}: cannot be created (${systemCode(error) ?? "unknown"})`);
  }
}

/** SQLite looks at a page when it needs it: some damage shows only after the file was opened. */
function damageOf(database: string, error: unknown): unknown {
  const code = systemCode(error) ?? "";
  if (!code.startsWith("SQLITE_CORRUPT") && !code.startsWith("SQLITE_NOTADB")) return error;
  return new AppError(
    "invalid",
    `${database} is damaged (${messageOf(error)}); restore a backup or move it away`,
  );
}

export class SqliteEngine implements SpaceEngine {
  readonly metadata: Metadata;
  readonly #db: Db;
  readonly #store: SpaceStore;
  readonly #mirror: Mirror;
  readonly #recent = new RecentContents();
  readonly #reader: Reading;
  readonly #writing: Writing;
  readonly #staging: Staging;
  readonly #words: WordIndex;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onApplied: NonNullable<SpaceEngineOptions["onApplied"]>;
  /** Work with pauses that still needs the database. */
  readonly #running = new Ongoing();
  #closed = false;
  /** As of the last commit. */
  #space: SpaceRow;
  /** How far the working tree is, as the database has it: after a crash the open looks at all that came since. */
  #storedTreeSeq: number;
  /** Of the last change: times in the log only grow, whatever the clock does. */
  #lastTime: number;

  constructor(db: Db, { directory, clock, log, onApplied = () => {} }: SpaceEngineOptions) {
    this.#db = db;
    this.#onApplied = onApplied;
    this.#clock = clock;
    this.#log = log;
    this.#store = new SpaceStore(db);
    this.metadata = new Metadata(db, this.#store);
    this.#mirror = new Mirror(this.#store, new Tree(directory), this.#recent, { clock, log });
    this.#reader = new Reading(this.#store, this.#mirror, this.#recent);
    this.#writing = new Writing(this.#store);
    this.#staging = new Staging(db, this.#store);
    this.#words = new WordIndex(db, this.#store);
    this.#space = this.#store.space.get()!;
    if (this.#space.epoch === "") this.#beginEpoch();
    this.#lastTime = this.#store.timeOf.get(this.#space.seq)?.created_at ?? 0;
    this.#storedTreeSeq = this.#store.follower.get("tree")!.seq;
    this.#staging.sweep();
    this.#mirror.catchUp();
    const wasClosed = this.#storedTreeSeq === this.#space.seq;
    if (!wasClosed)
      this.#mirror.mend(this.#reader.seqAt({ time: this.#lastTime - WRITTEN_OUT_MS }), this.#storedTreeSeq);
  }

  head(): Head {
    const { epoch, seq } = this.#space;
    return { epoch, seq };
  }

  totals(): Totals {
    return totalsOf(this.#space);
  }

  async list(query: ListQuery = {}): Promise<FileRecord[]> {
    return this.#running.keep(this.#reading.list(query));
  }

  async live(path: DocumentPath): Promise<NonNullable<Effect["after"]> | undefined> {
    return this.#reading.live(path);
  }

  async stat(path: DocumentPath): Promise<FileRecord | undefined> {
    await this.#mirror.settled(path);
    return this.#reading.stat(path);
  }

  async read(path: DocumentPath, version?: number): Promise<Content | undefined> {
    return this.#reading.read(path, version);
  }

  async copy(path: DocumentPath): Promise<Copy | undefined> {
    await this.#mirror.settled(path);
    return this.#reading.copy(path);
  }

  async open(path: DocumentPath): Promise<Content | EditedCopy | undefined> {
    return this.#reading.open(path);
  }

  async history(path: DocumentPath): Promise<FileHistory | undefined> {
    await this.#mirror.settled(path);
    return this.#reading.history(path);
  }

  async changesSince(head: Head): Promise<NetChange[]> {
    if (head.epoch !== this.#space.epoch)
      throw new AppError(
        "epoch_changed",
        "the space was restored from a backup since then: start over from its files",
        {
          head: headText(this.head()),
        },
      );
    return this.#running.keep(this.#reading.changesSince(head.seq));
  }

  async log(after: number, limit: number): Promise<LogEntry[]> {
    return this.#reading.log(after, limit);
  }

  async apply(batch: Batch): Promise<Applied> {
    this.#requireOpen();
    checkShape(batch.operations);
    const edits = this.#handEdits(batch.operations);
    if (edits.length === 0) return this.#commit(batch);
    return this.#running.keep(this.#record(edits, batch).then(() => this.#commit(batch)));
  }

  async snapshots(): Promise<Snapshot[]> {
    this.#requireOpen();
    return this.#store.snapshots.all().map((row) => toSnapshot(row, this.#space.epoch));
  }

  snapshot(name: string, { author, begin }: Pick<Batch, "author" | "begin">): Promise<Snapshot> {
    return this.#db.write(() => {
      begin?.();
      if (this.#store.snapshotByName.get(name))
        throw new AppError("conflict", `name: there is a snapshot "${name}" already`);
      const { seq, epoch } = this.#store.space.get()!;
      const created_at = this.#clock.now();
      const { id } = this.#store.insertSnapshot.get(name, seq, author, created_at)!;
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
    const edits = this.#handEdits((await this.#differenceTo(seq)).operations);
    await this.#record(edits, batch);
    for (let looks = 0; looks < RESTORE_LOOKS_MAX; looks += 1) {
      const found = await this.#differenceTo(seq);
      const prepared = await prepare(found.operations);
      const restored = await this.#db.write(() => {
        // What was written meanwhile is undone as well: it is found by another look.
        if (this.#store.space.get()!.seq !== found.at) return undefined;
        return { ...this.#applyIn(batch, prepared, keptAlready(prepared)), lost: found.lost };
      });
      if (restored) return restored;
    }
    throw new AppError("conflict", "the space is written all the time; try again when it is calmer");
  }

  /** What would make the space what it was after that change, found with pauses; `at`: after which change that is so. */
  async #differenceTo(seq: number): Promise<{ operations: Operation[]; lost: DocumentPath[]; at: number }> {
    const at = this.#store.space.get()!.seq;
    const then = await this.#reading.asOf(seq);
    const thenPaths = new Set<string>(then.map(({ path }) => path));
    const operations: Operation[] = [];
    const lost: DocumentPath[] = [];
    const stretch = new Stretch();
    for (const { path } of this.#store.liveFiles.all())
      if (!thenPaths.has(path)) operations.push({ op: "delete", path: path as DocumentPath });
    for (const { path: text, version, hash } of then) {
      if (stretch.isOver()) await turnOfOthers();
      const path = text as DocumentPath;
      const now = this.#store.file.get(path)!;
      if (now.live !== null && now.hash === hash) continue;
      if (this.#store.version.get(now.id, version)!.blob_id === null) lost.push(path);
      else operations.push({ op: "put", path, content: this.#reading.read(path, version)!.bytes });
    }
    return { operations, lost, at };
  }

  async applyEach(batch: Batch): Promise<AppliedEach> {
    this.#requireOpen();
    const prepared = await prepare(batch.operations);
    const coded = await codedOf(prepared);
    return this.#db.write(() => this.#applyEachIn(batch, prepared, coded), { repeatable: true });
  }

  /** Inside the transaction. An operation is refused before it writes anything, so there is nothing to undo. */
  #applyEachIn(
    { begin, ...batch }: Omit<Batch, "operations">,
    prepared: readonly Prepared[],
    coded: ReadonlyMap<string, Coded>,
  ): AppliedEach {
    begin?.();
    const effects: Effect[] = [];
    const refused: { path: DocumentPath; error: AppError }[] = [];
    for (const operation of prepared) {
      try {
        checkShape([operation]);
        effects.push(...this.#applyIn(batch, [operation], coded).effects);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.push({ path: operation.path, error });
      }
    }
    const { epoch, seq } = this.#store.space.get()!;
    return { head: { epoch, seq }, effects, time: this.#lastTime, refused };
  }

  treeBehind(): readonly DocumentPath[] {
    return this.#mirror.behind();
  }

  /** Brings the working tree up to date at once, all of it or up to this path; by itself it follows within a moment. */
  settle(path?: DocumentPath): void {
    this.#mirror.settle(path);
  }

  catchUpWords(): Promise<void> {
    return this.#running.keep(this.#words.catchUp());
  }

  async backupTo(file: string): Promise<void> {
    try {
      this.#db.backupTo(file);
    } catch (error) {
      if (systemCode(error) === "EEXIST") throw new AppError("conflict", `${file}: exists already`);
      throw error;
    }
  }

  /** Its database as it is now, to be copied while writes go on. What was edited in the tree by hand is not in it. */
  freeze(): FrozenFile {
    this.#requireOpen();
    return this.#db.freeze();
  }

  /** What was begun is finished first. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#running.ended();
    // Writes that were begun are committed before this one, and their files brought before the number is read.
    await this.#db.write(() => undefined).catch(() => undefined);
    this.#mirror.settle();
    try {
      await this.#db.write(() => this.#store.setFollower.run(this.#mirror.safeSeq, "tree"));
    } catch (error) {
      // Only makes the next open look at more files.
      this.#log.warn("closing: how far the working tree is could not be stored", { error: messageOf(error) });
    }
    this.#db.close();
  }

  /** A space that was restored from a backup: another history, so that clients stop and ask, and a working tree to be made from it. */
  newEpoch(): void {
    this.#beginEpoch();
    this.#mirror.catchUp(0);
  }

  /** Raises `unavailable` after the close. */
  get #reading(): Reading {
    this.#requireOpen();
    return this.#reader;
  }

  #requireOpen(): void {
    if (this.#closed) throw new AppError("unavailable", "the space was closed");
  }

  #beginEpoch(): void {
    const epoch = randomHex(EPOCH_BITS);
    this.#db.writeNow(() => this.#store.setEpoch.run(epoch));
    this.#space = { ...this.#space, epoch };
  }

  /** Never overwritten: what was edited by hand becomes a version first, and what comes then is judged against that. */
  #handEdits(operations: readonly Operation[]): Operation[] {
    const deletes = operations.filter(({ op }) => op === "delete");
    const leaving = deletes.length === 0 ? NONE : new Set<string>(deletes.map(({ path }) => path));
    return operations.flatMap(({ op, path }) =>
      op === "destroy" ? [] : this.#mirror.handEdits(path, op === "delete" ? undefined : leaving),
    );
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
    return this.#staging.around(coded, () =>
      this.#db.write(() => this.#applyIn(batch, prepared, coded), { repeatable: true }),
    );
  }

  /** Inside the transaction. */
  #applyIn(
    batch: Omit<Batch, "operations">,
    prepared: readonly Prepared[],
    coded: ReadonlyMap<string, Coded>,
  ): Applied {
    batch.begin?.();
    const store = this.#store;
    const steps = planSteps(store, prepared);
    refuseClashes(store, steps);
    const space = store.space.get()!;
    const plan = planOf(space, steps);
    batch.admit?.(plan);
    const time = Math.max(this.#clock.now(), this.#lastTime);
    this.#lastTime = time;
    const stamp = { author: batch.author, time, versionsKept: batch.versionsKept ?? 0 };
    let { seq } = space;
    let pruned = 0;
    for (const step of steps) {
      seq += 1;
      pruned += this.#writing.record(step, coded, stamp, seq);
    }
    const after = { ...plan.after, versions: plan.after.versions - pruned };
    if (steps.length > 0) store.setTotals.run(seq, after.files, after.bytes, after.versions);
    const treeSeq = Math.max(0, this.#mirror.safeSeq - LOOKED_AT_AFTER_CRASH);
    const ahead = treeSeq - this.#storedTreeSeq;
    // It goes back where a file could not be written.
    const isNews = ahead < 0 || ahead >= FOLLOWER_STORED_EVERY;
    if (isNews) store.setFollower.run(treeSeq, "tree");
    const applied = { head: { epoch: space.epoch, seq }, effects: plan.effects, time };
    this.#db.afterCommit(() => {
      this.#space = { epoch: space.epoch, seq, ...after };
      if (isNews) this.#storedTreeSeq = treeSeq;
      for (const { operation } of steps)
        if (operation.op === "put") this.#recent.add(operation.hash, operation.content);
      this.#mirror.follow(steps, seq);
      if (steps.length > 0) this.#onApplied(applied, batch);
      const destroyed = steps.filter(({ effect }) => effect.op === "destroy");
      for (const { version } of destroyed) this.#recent.forget(version!.hash);
      if (destroyed.length > 0) this.#db.clearLog();
    });
    return applied;
  }
}
