// Backs up a server's data while it runs. A backup shows a single moment: all databases are frozen in one step, together with the length of the
// audit record, and copied while writes continue. One backup runs at a time; the state of the last one can be queried.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Background } from "../../kit/concurrency/background.ts";
import { BackupJobs, type Begun } from "../../kit/backup/backup-jobs.ts";
import { writeArchive } from "../../kit/backup/archive.ts";
import { chunksOf, measured } from "../../kit/backup/members.ts";
import { copiesOf } from "../../kit/backup/copies.ts";
import { BackupSchedule } from "../../kit/backup/schedule.ts";
import type { BackupConfig } from "../../kit/backup/config.ts";
import type { Member } from "../../kit/backup/schema.ts";
import { Shelf, type Shelved } from "../../kit/backup/shelf.ts";
import { targetPath, writeTarget } from "../../kit/backup/target.ts";
import { SECOND_MS, rfc3339, type Clock, type Timers } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Source } from "../../kit/disk/tar.ts";
import { version } from "../../kit/version.ts";
import type { Audit } from "../audit/audit.ts";
import { loadServerConfig } from "../config/config.ts";
import { headText } from "../versioned-store/head.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Spaces } from "../spaces/spaces.ts";
import { calm, freeze, recordsOf, thaw, type Moment } from "./moment.ts";
import { BACKUP_FORMAT, MANIFEST_NAME, type Backup, type Manifest, type SpaceInBackup } from "./schema.ts";
import { AUDIT_MEMBER, CONFIG_MEMBER, DATABASE_MEMBER, manifestHash, spaceMembers } from "./unpack.ts";

interface BackupsDeps {
  /** The server's data directory. */
  readonly directory: string;
  readonly config: BackupConfig;
  /** Has the credentials of the bucket for copies. */
  readonly environment: Environment;
  readonly db: Db;
  readonly spaces: Spaces;
  readonly audit: Audit;
  readonly background: Background;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

type Result = NonNullable<Backup["result"]>;
type LeftOut = SpaceInBackup["left_out"];

interface Copied extends Moment {
  /** The bytes of `server.yaml`. */
  readonly config: Uint8Array;
}

export class Backups {
  readonly #deps: BackupsDeps;
  readonly #jobs: BackupJobs<Result>;
  /** The directory where the operator keeps backups; that of the schedule and of admins who are not the operator. */
  readonly #shelf: Shelf;
  readonly schedule: BackupSchedule;
  /** Every admin may cancel a backup on the shelf. */
  #isLastShelved = false;

  constructor(deps: BackupsDeps) {
    const { background, config, log } = deps;
    this.#deps = deps;
    this.#jobs = new BackupJobs(background, log);
    this.#shelf = new Shelf(config.directory, "cairn");
    const shelf = this.#shelf;
    const copies = copiesOf({ ...deps, shelf });
    this.schedule = new BackupSchedule({ ...deps, shelf, copies, make: () => this.#scheduled() });
  }

  /**
   * `path`: for the operator of this machine only; undefined: in the directory that the operator set for admins. Raises `forbidden`, `invalid`,
   * `refused`, or `conflict` while another backup is running.
   */
  start(caller: Caller, given: string | undefined): Backup {
    const { clock, directory } = this.#deps;
    const shelf = this.#shelf;
    if (given === undefined)
      return this.#start(caller, shelf.directory, () => {
        requireShelf(caller, shelf.directory);
        return shelf.newFile(clock.now(), "person", directory);
      }).shown;
    const { shown } = this.#start(caller, given, () => {
      requireOperator(caller);
      return targetPath(given, (isTaken) => shelf.nameAt(clock.now(), isTaken), directory);
    });
    this.#isLastShelved = false;
    return shown;
  }

  /** Raises `forbidden`, `not_found`. */
  get(caller: Caller, id: number): Backup {
    requireAdmin(caller);
    return this.#jobs.get(id);
  }

  /** The backup that was started last, since the server started. Raises `forbidden`. */
  last(caller: Caller): Backup | undefined {
    requireAdmin(caller);
    return this.#jobs.last;
  }

  /** The archives in the directory for admins. Raises `forbidden`. */
  async shelved(caller: Caller): Promise<Shelved> {
    requireAdmin(caller);
    return this.#shelf.archives();
  }

  /** Cancels a running backup and removes its file. A finished backup is unaffected. Raises as `get`. */
  stop(caller: Caller, id: number): Backup {
    const shown = this.get(caller, id);
    if (!this.#isLastShelved) requireOperator(caller);
    const by = caller.auth === "local" ? "the operator" : caller.name;
    this.#jobs.abort(`stopped by ${by}`);
    return shown;
  }

  /** Called before the server closes the files that are being copied. */
  close(): void {
    this.schedule.stop();
    this.#jobs.abort("the server is stopping");
  }

  #scheduled(): Begun<Result> {
    const { clock, directory } = this.#deps;
    const shelf = this.#shelf;
    return this.#start(null, shelf.directory, () => shelf.newFile(clock.now(), "schedule", directory));
  }

  /** `actor` null: the server itself. `path`: as asked for. `newFile` raises if the actor may not write there. */
  #start(actor: Caller | null, path: string, newFile: () => string): Begun<Result> {
    const { audit } = this.#deps;
    const deed = { action: "backup.create", target: path };
    let file: string;
    try {
      file = newFile();
      this.#jobs.requireIdle();
    } catch (error) {
      audit.record(actor, deed, error);
      throw error;
    }
    this.#isLastShelved = true;
    return this.#jobs.start(file, (shown, signal) =>
      audit.watched(
        actor,
        { ...deed, target: file },
        () => this.#make(shown, signal),
        (done) => ({ contentHash: done.sha256 }),
      ),
    );
  }

  async #make(shown: Backup, signal: AbortSignal): Promise<Result> {
    const leftOut = await this.#leftOut(signal);
    return writeTarget(shown.file, async (handle) => {
      await calm(this.#deps, "backup");
      const moment = this.#freeze();
      try {
        shown.bytes_total = bytesOf(moment);
        const manifests: Manifest[] = [];
        const progress = (count: number) => void (shown.bytes_done += count);
        const sources = sourcesOf(moment, leftOut, progress, (manifest) => manifests.push(manifest));
        const written = await writeArchive(handle, sources, Math.floor(moment.time / SECOND_MS), signal);
        const { created_at, spaces, audit } = manifests[0]!;
        return { ...written, created_at, spaces, audit };
      } finally {
        thaw(this.#deps, moment);
      }
    });
  }

  /** Counts unrecorded manual edits, which a backup leaves out because the database is the truth. */
  async #leftOut(signal: AbortSignal): Promise<ReadonlyMap<string, LeftOut>> {
    const counts = new Map<string, LeftOut>();
    for (const { name, engine } of await this.#deps.spaces.openAll()) {
      signal.throwIfAborted();
      const states = (await engine.list()).map(({ state }) => state);
      const count = (wanted: string) => states.filter((state) => state === wanted).length;
      counts.set(name, { modified: count("modified"), untracked: count("untracked") });
    }
    return counts;
  }

  #freeze(): Copied {
    const { directory } = this.#deps;
    // A backup with an invalid configuration could not be restored.
    loadServerConfig(directory);
    return { config: readFileSync(join(directory, CONFIG_MEMBER)), ...freeze(this.#deps, "backup") };
  }
}

/** Only the operator, who can read the data anyway: a backup holds every document and the sealed secrets of webhooks. */
function requireOperator(caller: Caller): void {
  requireAdmin(caller);
  if (caller.auth !== "local")
    throw new AppError(
      "forbidden",
      "backups can only be created on the server's own machine, with cairn backup create; a token is not sufficient",
    );
}

/** The operator chose the place, and the name of the file is not the caller's. */
function requireShelf(caller: Caller, shelf: string): void {
  requireAdmin(caller);
  if (shelf === "")
    throw new AppError("refused", "no directory for backups is set; set backup.directory in server.yaml");
}

function bytesOf({ config, server, audit, spaces }: Copied): number {
  return spaces.reduce(
    (sum, { file, database }) => sum + file.length + database.size,
    config.length + server.size + audit.bytes,
  );
}

/** Yields the files of an archive; the manifest, known only at the end, is the last. */
async function* sourcesOf(
  moment: Copied,
  leftOut: ReadonlyMap<string, LeftOut>,
  onBytes: (count: number) => void,
  onManifest: (manifest: Manifest) => void,
): AsyncGenerator<Source> {
  const members: Member[] = [];
  const hashed = (source: Source) => measured(source, members, onBytes);
  const { config, server, audit, spaces } = moment;
  yield hashed({ name: CONFIG_MEMBER, size: config.length, content: [config] });
  yield hashed({ name: DATABASE_MEMBER, size: server.size, content: chunksOf(server) });
  yield hashed({ name: AUDIT_MEMBER, size: audit.bytes, content: recordsOf(moment) });
  for (const { name, file, database } of spaces) {
    const names = spaceMembers(name);
    yield hashed({ name: names.file, size: file.length, content: [file] });
    yield hashed({ name: names.database, size: database.size, content: chunksOf(database) });
  }
  const manifest = manifestOf(moment, leftOut, members);
  onManifest(manifest);
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield { name: MANIFEST_NAME, size: text.length, content: [text] };
}

function manifestOf(
  { time, spaces, audit }: Moment,
  leftOut: ReadonlyMap<string, LeftOut>,
  members: readonly Member[],
): Manifest {
  const manifest: Manifest = {
    format: BACKUP_FORMAT,
    cairn_version: version.version,
    created_at: rfc3339(time),
    members: [...members],
    spaces: spaces.map(({ name, head, totals }) => ({
      name,
      head: headText(head),
      ...totals,
      left_out: leftOut.get(name) ?? { modified: 0, untracked: 0 },
    })),
    audit: { entries: audit.entries, head: audit.hash },
    hash: "",
  };
  return { ...manifest, hash: manifestHash(manifest) };
}
