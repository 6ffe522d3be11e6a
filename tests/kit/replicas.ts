// Nodes with one database each, which share it through a storage in memory. Their clock stands still until a test moves it.

import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chunksOf } from "../../src/kit/backup/members.ts";
import type { Timing } from "../../src/kit/replication/beat.ts";
import { Follower, type Takeover } from "../../src/kit/replication/follower.ts";
import { Leader } from "../../src/kit/replication/leader.ts";
import { settleState } from "../../src/kit/replication/local-state.ts";
import { finishSnapshot, uploadFiles } from "../../src/kit/replication/snapshot.ts";
import { openDatabase, type Db } from "../../src/kit/storage/db.ts";
import { until } from "./eventually.ts";
import { temporaryFolder, type Folder } from "./folder.ts";
import { manualClock } from "./manual-clock.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { silent } from "./silent.ts";
import { WAIT_LIMIT_MS } from "./wait-limit.ts";

const DATABASE = "x.db";
const TIMING: Timing = { beatEvery: 2_000, leaseMs: 8_000, takeoverAfter: 12_000, lookEvery: 1_000 };
/** Real time for what needs no clock, then a step of the clock. */
const TURN_MS = 1;
const STEP_MS = 100;
const LEASE_RETURNS_MS = 3 * TIMING.beatEvery;

/** A node that leads, with its database open. */
export interface Leading extends AsyncDisposable {
  readonly taken: Takeover;
  readonly leader: Leader;
  readonly db: Db;
  /** Adds a row. Resolves when it is committed, and in the log if it should be `settled`. */
  add(text: string): Promise<void>;
  /** `during` runs while the files are frozen. */
  snapshot(during?: () => Promise<void>): Promise<void>;
  /** Ends well: everything is in the log, and another node may lead at once. */
  end(): Promise<void>;
  /** Ends as at a crash: the WAL stays. */
  crash(): void;
}

/** A node that follows in the background, until it is stopped or leads. */
export interface Following {
  /** Of the last entry that it has. */
  readonly position: number | undefined;
  /** Undefined if it was stopped before it led. */
  readonly taken: Promise<Takeover | undefined>;
  /** Moves the clock until the last entry that it has is this one. */
  reaches(seq: number): Promise<void>;
  stop(): Promise<Takeover | undefined>;
}

export interface Replicas extends AsyncDisposable {
  readonly storage: MemoryStorage;
  readonly clock: ReturnType<typeof manualClock>;
  directory(node: string): string;
  /** With the data of a first node: an empty database. */
  withData(node: string): string;
  follower(node: string, options?: Partial<ConstructorParameters<typeof Follower>[0]>): Follower;
  following(node: string, options?: Partial<ConstructorParameters<typeof Follower>[0]>): Following;
  /** Follows until this node leads, while time passes. */
  takesOver(node: string): Promise<Leading>;
  lead(node: string, taken: Takeover): Leading;
  /** Moves the clock while `work` runs. */
  passing<T>(work: Promise<T>): Promise<T>;
  /** Moves the clock, with pauses for what happens meanwhile. */
  pass(ms: number): Promise<void>;
  /** The texts in the files of a node that does not lead. */
  texts(node: string): string[];
}

export async function replicas(): Promise<Replicas> {
  await using stack = new AsyncDisposableStack();
  const folder: Folder = stack.use(await temporaryFolder());
  const storage = new MemoryStorage();
  const clock = manualClock();
  const parts = { storage, timing: TIMING, clock, timers: clock, log: silent };
  const directory = (node: string) => {
    const path = join(folder.path, node);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await Bun.sleep(TURN_MS);
      clock.advance(STEP_MS);
    }
  };
  const passing: Replicas["passing"] = async (work) => {
    const state = { isOver: false };
    const over = () => void (state.isOver = true);
    work.then(over, over);
    const limit = performance.now() + WAIT_LIMIT_MS;
    for (await Bun.sleep(TURN_MS); !state.isOver && performance.now() < limit;) await pass(STEP_MS);
    if (!state.isOver) throw new Error("what a test waits for does not happen");
    return work;
  };
  const follower: Replicas["follower"] = (node, options = {}) =>
    new Follower({
      ...parts,
      node,
      directory: directory(node),
      names: [DATABASE],
      files: () => [join(directory(node), DATABASE)],
      prepare: async () => {},
      ...options,
    });
  const following: Replicas["following"] = (node, options) => {
    const stop = new AbortController();
    const one = follower(node, options);
    const taken = one.follow(stop.signal);
    // A test that expects a failure awaits it later.
    taken.catch(() => {});
    return {
      get position() {
        return one.position;
      },
      taken,
      async reaches(seq) {
        await passing(until(() => one.position === seq));
      },
      stop() {
        stop.abort();
        return taken;
      },
    };
  };
  const lead: Replicas["lead"] = (node, taken) => {
    const leader = new Leader({ ...parts, ...taken, node });
    const db = openDatabase(join(directory(node), DATABASE));
    db.copyPagesTo(leader.pages(DATABASE));
    const insert = db.query<never, [string]>("INSERT INTO texts (text) VALUES (?)");
    return {
      taken,
      leader,
      db,
      async add(text) {
        await db.write(() => void insert.run(text));
        await leader.settled();
      },
      async snapshot(during) {
        await leader.settled();
        const { seq: after, hash } = leader.position;
        const frozen = db.freeze();
        const content = chunksOf(frozen);
        await during?.();
        const signal = new AbortController().signal;
        const files = await uploadFiles(storage, after, [{ file: DATABASE, content }], signal);
        await leader.settled();
        const { takeovers } = taken;
        const complete = leader.position.seq;
        frozen.thaw();
        const facts = { after, hash, complete, created_at: "", takeovers: [...takeovers], files };
        await finishSnapshot(storage, facts);
      },
      async end() {
        db.close();
        await leader.release();
        await settleState(directory(node), leader.position);
      },
      crash() {
        leader.abandon();
        const [from, kept] = [directory(node), `${directory(node)}.kept`];
        cpSync(from, kept, { recursive: true });
        db.close();
        rmSync(from, { recursive: true });
        renameSync(kept, from);
      },
      async [Symbol.asyncDispose]() {
        leader.abandon();
        db.close();
      },
    };
  };
  const kept = stack.move();
  return {
    storage,
    clock,
    directory,
    withData(node) {
      const db = openDatabase(join(directory(node), DATABASE));
      db.writeNow(() => {
        db.exec("CREATE TABLE proof (id INTEGER PRIMARY KEY, side INTEGER)");
        db.exec("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
      });
      db.settle();
      db.close();
      return directory(node);
    },
    follower,
    following,
    async takesOver(node) {
      const taken = await passing(following(node).taken);
      const leading = lead(node, taken!);
      // On a busy machine, its clock may have moved on by more than the lease.
      for (let passed = 0; passed < LEASE_RETURNS_MS && !isAnswering(leading); passed += STEP_MS)
        await pass(STEP_MS);
      return leading;
    },
    lead,
    passing,
    pass,
    texts(node) {
      const path = join(directory(node), DATABASE);
      if (!existsSync(path)) return [];
      const db = openDatabase(path);
      try {
        return db
          .query<{ text: string }, []>("SELECT text FROM texts ORDER BY id")
          .all()
          .map(({ text }) => text);
      } finally {
        db.close();
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Reports whether it believes to lead. */
export function isAnswering({ leader }: Leading): boolean {
  try {
    leader.requireLead();
    return true;
  } catch {
    return false;
  }
}

/** A node that leads, with one row and a snapshot. */
export async function led(all: Replicas): Promise<Leading> {
  all.withData("a");
  const a = await all.takesOver("a");
  await all.passing(a.add("one"));
  await all.passing(a.snapshot());
  return a;
}

/** Adds a row that reaches the files of the node, but never the log. Until the test sets `storage.before` again, no node can append. */
export async function addUnlogged({ storage }: Replicas, { add }: Leading, text: string): Promise<void> {
  const appending = Promise.withResolvers<void>();
  storage.before = (operation) => {
    if (operation !== "create") return undefined;
    appending.resolve();
    return new Promise(() => {});
  };
  void add(text).catch(() => {});
  await appending.promise;
}
