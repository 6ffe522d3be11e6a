// The knowledge of a copy about its server, in `.sync/state.db`. Each method is one durable transaction, so that a crash between two of them
// leaves a state that the next cycle explains. Open for one cycle at a time: its lock keeps two cycles of one copy apart.

import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { isUnwritable, problemWithoutPlace, unwritableProblem } from "../../kit/disk/disk.ts";
import { temporaryFolder } from "../../kit/disk/temporary-folder.ts";
import { copyDatabase } from "../../kit/storage/db-untouched.ts";
import { openDatabase, type Db } from "../../kit/storage/db.ts";
import { AppError } from "../../kit/error.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { openWhenFree } from "../../kit/disk/in-use.ts";
import { migrate } from "../../kit/storage/migrate.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { AFTER_SLASH } from "../../kit/text/paths.ts";
import { modeOf } from "../spaces/modes.ts";
import type { SyncRules } from "../spaces/schema.ts";
import { replicaMigrations } from "./migrations/migrations.ts";
import { replicaStore, type FileRow, type HeldRow, type ReplicaStore } from "./store.ts";

const OWN_DIRECTORY = ".sync";
const DATABASE = "state.db";

/** The server's live version of a file. */
export interface ServerFile {
  readonly path: string;
  readonly version: number;
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  readonly author: string;
}

/** A change on the server: the live version, or a delete. */
export type ServerChange = ServerFile | { readonly path: string; readonly version: null };

/** Both sides have this content, or none. */
export interface Agreement {
  readonly path: string;
  readonly server: ServerFile | null;
  /** The local version with this content; null: none has it, because it was merged with another. */
  readonly local: number | null;
}

/** The server's state at one head. */
interface Learned {
  readonly head: string;
  readonly rules: SyncRules;
  readonly view: string | undefined;
}

export interface Origin {
  readonly server: string;
  readonly space: string;
  /** The person's name on the server. */
  readonly user: string;
}

/** Returns the folder of a copy's own files. */
export function syncDirectory(directory: string): string {
  return join(directory, OWN_DIRECTORY);
}

/** Reports whether the folder is a copy of a server's space, or is becoming one. */
export function isReplica(directory: string): boolean {
  return existsSync(join(syncDirectory(directory), DATABASE));
}

export class ReplicaState {
  readonly #db: Db;
  readonly #store: ReplicaStore;

  constructor(db: Db) {
    this.#db = db;
    this.#store = replicaStore(db);
  }

  /** Undefined until `begin`. */
  get origin(): Origin | undefined {
    const row = this.#store.replica.get();
    return row ? { server: row.server, space: row.space, user: row.user } : undefined;
  }

  /** Null: the first clone is not finished. */
  get head(): string | null {
    return this.#store.replica.get()?.head ?? null;
  }

  /** The person's rights when the server was asked last (`News`). */
  get view(): string | null {
    return this.#store.replica.get()?.view ?? null;
  }

  get rules(): SyncRules {
    return JSON.parse(this.#store.replica.get()?.rules ?? "{}") as SyncRules;
  }

  begin({ server, space, user }: Origin): Promise<void> {
    return this.#change(() => void this.#store.begin.run({ server, space, user, rules: "{}" }));
  }

  moveTo(server: string): Promise<void> {
    return this.#change(() => void this.#store.setServer.run(server));
  }

  file(path: string): FileRow | null {
    return this.#store.file.get(path);
  }

  /** Returns the file of this path, or those below it if it is, or was, a directory. */
  filesUnder(path: string): FileRow[] {
    return this.#store.filesUnder.all({ path, first: `${path}/`, end: `${path}${AFTER_SLASH}` });
  }

  files(): FileRow[] {
    return this.#store.files.all();
  }

  pending(): FileRow[] {
    return this.#store.pendingFiles.all();
  }

  /** The number of files that both sides have. */
  get synced(): number {
    return this.#store.count.get()!.files;
  }

  held(): HeldRow[] {
    return this.#store.held.all();
  }

  /** Records the changes of the server up to `head`, and its rules. Paths that a rule starts to sync are compared again. */
  fold({
    head,
    rules,
    view,
    changes,
  }: Learned & { readonly changes: readonly ServerChange[] }): Promise<void> {
    const before = this.#store.replica.get()!;
    const text = JSON.stringify(rules);
    return this.#change(() => {
      for (const change of changes) this.#setServerSide(change);
      if (before.rules !== text) this.#compareAnew(JSON.parse(before.rules) as SyncRules, rules);
      this.#store.setHead.run(head, text);
      this.#store.setView.run(view ?? null);
    });
  }

  /** Records everything that the server has, in place of what was known: for a copy that joins, or a server with another history. */
  replace(
    { head, rules, view, files }: Learned & { readonly files: readonly ServerFile[] },
    fresh: "joined" | "restored",
  ): Promise<void> {
    return this.#change(() => {
      this.#store.clearServerSides.run(fresh);
      for (const { path, version, hash, size, author } of files)
        this.#store.setServerSide.run({ path, version, hash, size, author, fresh });
      this.#store.setHead.run(head, JSON.stringify(rules));
      this.#store.setView.run(view ?? null);
    });
  }

  agree(agreements: readonly Agreement[]): Promise<void> {
    return this.#change(() => {
      const held = new Set(this.held().map(({ path }) => path));
      for (const { path, server, local } of agreements) {
        if (held.has(path)) this.#store.release.run(path);
        if (server === null) this.#store.drop.run(path);
        else {
          const { version, hash, size, author } = server;
          this.#store.agree.run({ path, version, hash, size, author, local });
        }
      }
    });
  }

  /** Compares these paths as usual from now on. */
  keep(paths: readonly string[]): Promise<void> {
    return this.#change(() => {
      for (const path of paths) this.#store.setFresh.run(null, path);
    });
  }

  /** Marks contents as on their way, before they are sent. `hash`: empty for a delete. */
  sending(sent: readonly { readonly path: string; readonly hash: string }[]): Promise<void> {
    return this.#change(() => {
      for (const { path, hash } of sent) this.#store.insertSent.run(path, hash);
    });
  }

  /** Moves the head forward after a push between which and the last head nobody else wrote. */
  advance(head: string): Promise<void> {
    return this.#change(() => void this.#store.setHead.run(head, this.#store.replica.get()!.rules));
  }

  hold(row: HeldRow): Promise<void> {
    return this.#change(() => void this.#store.hold.run(row));
  }

  release(paths: readonly string[]): Promise<void> {
    return this.#change(() => {
      for (const path of paths) this.#store.release.run(path);
    });
  }

  /** See `settle`. */
  get settled(): string | null {
    return this.#store.replica.get()?.settled ?? null;
  }

  /** Nothing was left to do when the local space had this fingerprint. Holds until the next change of this state. */
  settle(fingerprint: string): Promise<void> {
    return this.#db.write(() => void this.#store.setSettled.run(fingerprint));
  }

  /** Returns a copy in memory, for a cycle that must record nothing. The caller closes it. */
  rehearsal(clock: Clock): ReplicaState {
    const copy = openedState(":memory:", clock);
    const { head, settled, view, ...origin } = this.#store.replica.get()!;
    copy.#db.writeNow(() => {
      copy.#store.begin.run(origin);
      if (head !== null) copy.#store.setHead.run(head, origin.rules);
      copy.#store.setSettled.run(settled);
      copy.#store.setView.run(view);
      for (const row of this.#store.files.all()) copy.#store.insertFile.run(row);
      for (const row of this.#store.held.all()) copy.#store.hold.run(row);
    });
    return copy;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #change(run: () => void): Promise<void> {
    return this.#db.write(() => {
      run();
      this.#store.setSettled.run(null);
    });
  }

  #setServerSide(change: ServerChange): void {
    const { path } = change;
    if (change.version !== null) {
      const { version, hash, size, author } = change;
      return void this.#store.setServerSide.run({ path, version, hash, size, author, fresh: null });
    }
    if (this.#store.file.get(path) === null) return;
    this.#store.setServerSide.run({ path, version: null, hash: null, size: 0, author: "", fresh: null });
  }

  #compareAnew(before: SyncRules, after: SyncRules): void {
    for (const { path, fresh } of this.#store.files.all())
      // A path that was not compared since a restore keeps that mark: its base is of the history that is gone.
      if (fresh !== "restored" && modeOf(before, path) !== "always" && modeOf(after, path) === "always")
        this.#store.setFresh.run("joined", path);
  }
}

interface OpenOptions {
  readonly clock?: Clock;
  /** Creates the state if the folder has none. */
  readonly create?: true;
}

/** Returns what the folder is a copy of; undefined: of nothing yet. Waits as `openReplicaState` does. */
export async function originOf(directory: string): Promise<Origin | undefined> {
  if (!isReplica(directory)) return undefined;
  using state = await openReplicaState(directory, { create: true });
  return state.origin;
}

/** Runs `read` on the state of a copy, also of one that cannot be written. `scratch`: where a copy of the state is made then. */
export async function readReplicaState<T>(
  directory: string,
  scratch: string,
  read: (state: ReplicaState) => T,
): Promise<T> {
  const path = join(syncDirectory(directory), DATABASE);
  if (unwritableProblem(syncDirectory(directory), path) === undefined) {
    // Also of a folder whose first sync did not finish.
    using state = await openReplicaState(directory, { create: true });
    return read(state);
  }
  const folder = temporaryFolder(scratch, "cairn-read-");
  try {
    const copy = join(folder, DATABASE);
    await openWhenFree(() => copyDatabase(path, copy), systemClock);
    using state = openedState(copy, systemClock);
    return read(state);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns what the folder is a copy of. Waits and raises as `openReplicaState`. */
export async function requireOrigin(directory: string, options: OpenOptions = {}): Promise<Origin> {
  using state = await openReplicaState(directory, options);
  return state.origin!;
}

/** Waits for another cycle to finish. Raises `conflict` with `details.in_use` if that takes too long, `refused` for a folder that is not a copy. */
export async function openReplicaState(directory: string, options: OpenOptions = {}): Promise<ReplicaState> {
  const clock = options.clock ?? systemClock;
  if (!isReplica(directory) && !options.create) throw notReplica(directory);
  mkdirSync(syncDirectory(directory), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const path = join(syncDirectory(directory), DATABASE);
  const state = await openWhenFree(() => openedState(path, clock), clock);
  if (state.origin || options.create) return state;
  state[Symbol.dispose]();
  throw notReplica(directory);
}

/** `refused`: the folder does not sync with a server, or may not be looked into, so that nobody can tell. */
function notReplica(directory: string): AppError {
  try {
    statSync(join(syncDirectory(directory), DATABASE));
  } catch (error) {
    if (isUnwritable(error))
      return new AppError(
        "refused",
        `${directory}: ${problemWithoutPlace(error)}; run the command as the owner, or give yourself access`,
        { directory },
      );
  }
  const command = commandText(["cairn", "init", "client", "--dir", directory]);
  const problem = `${directory} does not sync with a server; join one with ${command}`;
  return new AppError("refused", problem, { directory });
}

function openedState(path: string, clock: Clock): ReplicaState {
  const db = openDatabase(path);
  try {
    migrate(db, replicaMigrations, clock.now());
    return new ReplicaState(db);
  } catch (error) {
    db.close();
    throw error;
  }
}
