// Backs up the data of the service while it runs. The database is frozen at one moment and copied while writes continue; the files of workspaces and
// attachments are copied as they are when their turn comes.

import { basename, dirname } from "node:path";
import { writeArchive } from "../../kit/backup/archive.ts";
import { BackupJobs, type Begun } from "../../kit/backup/backup-jobs.ts";
import type { BackupConfig } from "../../kit/backup/config.ts";
import { chunksOf, measured } from "../../kit/backup/members.ts";
import { copiesOf } from "../../kit/backup/copies.ts";
import { BackupSchedule } from "../../kit/backup/schedule.ts";
import type { Member } from "../../kit/backup/schema.ts";
import { Shelf } from "../../kit/backup/shelf.ts";
import { writeTarget } from "../../kit/backup/target.ts";
import { rfc3339, SECOND_MS, type Clock, type Timers } from "../../kit/clock.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import { HeldRoot } from "../../kit/disk/held-directory.ts";
import type { Source } from "../../kit/disk/tar.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { FrozenFile } from "../../kit/storage/frozen-copy.ts";
import { version } from "../../kit/version.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import { dataFiles, openSource, type DataFile } from "./data-files.ts";
import { BACKUP_FORMAT, type Backup, type BackupsOverview } from "./schema.ts";

const FACTS_NAME = "backup.json";
const SUMS_NAME = "SHA256SUMS";

interface BackupsDeps {
  readonly config: BackupConfig;
  /** Has the credentials of the bucket for copies. */
  readonly environment: Environment;
  readonly db: Db;
  readonly audit: Audit;
  readonly background: Background;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

type Result = NonNullable<Backup["result"]>;

/** The data at one moment. */
interface Moment {
  readonly time: number;
  readonly database: FrozenFile;
  readonly files: readonly DataFile[];
  readonly audit: Result["audit"];
}

export class Backups {
  readonly #deps: BackupsDeps;
  readonly #jobs: BackupJobs<Result>;
  readonly #shelf: Shelf;
  readonly schedule: BackupSchedule;

  constructor(deps: BackupsDeps) {
    const { background, config, log } = deps;
    this.#deps = deps;
    this.#jobs = new BackupJobs(background, log);
    this.#shelf = new Shelf(config.directory, "service");
    const shelf = this.#shelf;
    const copies = copiesOf({ ...deps, shelf });
    this.schedule = new BackupSchedule({ ...deps, shelf, copies, make: () => this.#start(null, "schedule") });
  }

  /** Raises `forbidden`. */
  async overview(caller: Caller): Promise<BackupsOverview> {
    requireAdmin(caller);
    const { directory, archives, problem = null } = await this.#shelf.archives();
    return {
      directory,
      ...this.schedule.shown(),
      last: this.#jobs.last ?? null,
      archives: [...archives],
      problem,
    };
  }

  /** Raises `forbidden`, `refused` without a directory, `invalid` for an unsuitable one, `conflict` while another backup is running. */
  start(caller: Caller): Backup {
    requireAdmin(caller);
    return this.#start(caller, "person").shown;
  }

  /** Raises `forbidden`, `not_found`. */
  get(caller: Caller, id: number): Backup {
    requireAdmin(caller);
    return this.#jobs.get(id);
  }

  /** Cancels a running backup and removes its file. A finished backup is unaffected. Raises as `get`. */
  stop(caller: Caller, id: number): Backup {
    const shown = this.get(caller, id);
    this.#jobs.abort(`stopped by ${caller.name}`);
    return shown;
  }

  /** Called before the service closes the database. */
  close(): void {
    this.schedule.stop();
    this.#jobs.abort("the service is stopping");
  }

  /** `actor` null: the service itself. */
  #start(actor: Caller | null, by: "person" | "schedule"): Begun<Result> {
    const { audit, clock, db } = this.#deps;
    if (this.#shelf.directory === "")
      throw new AppError(
        "refused",
        "no directory for backups is set; set backup.directory in the configuration file",
      );
    this.#jobs.requireIdle();
    const file = this.#shelf.newFile(clock.now(), by, dirname(db.path));
    const decision = { action: "backup.create", target: `backup:${basename(file)}` };
    return this.#jobs.start(file, async (shown, signal) => {
      await db.write(() => audit.record(actor, decision));
      return this.#make(shown, signal);
    });
  }

  async #make(shown: Backup, signal: AbortSignal): Promise<Result> {
    const { db } = this.#deps;
    return writeTarget(shown.file, async (handle) => {
      while (db.checkpointing) await db.checkpointing;
      const moment = await this.#moment(signal);
      try {
        shown.bytes_total = moment.files.reduce((sum, { size }) => sum + size, moment.database.size);
        const counts = { files: 0, missed: 0 };
        const progress = (count: number) => void (shown.bytes_done += count);
        const sources = this.#sources(moment, counts, progress);
        const written = await writeArchive(handle, sources, Math.floor(moment.time / SECOND_MS), signal);
        return { ...written, created_at: rfc3339(moment.time), ...counts, audit: moment.audit };
      } finally {
        moment.database.thaw();
      }
    });
  }

  /** The database is frozen first, so that every file that it names is listed. */
  async #moment(signal: AbortSignal): Promise<Moment> {
    const { audit, clock, db } = this.#deps;
    const database = db.freeze();
    try {
      const { seq, hash } = audit.head();
      const time = clock.now();
      const files: DataFile[] = [];
      for await (const file of dataFiles(dirname(db.path))) {
        signal.throwIfAborted();
        files.push(file);
      }
      return { time, database, files, audit: { entries: seq, head: hash } };
    } catch (error) {
      database.thaw();
      throw error;
    }
  }

  /** The files of an archive; what is known only at the end comes last. */
  async *#sources(
    { time, database, files, audit }: Moment,
    counts: { files: number; missed: number },
    onBytes: (count: number) => void,
  ): AsyncGenerator<Source> {
    const { path } = this.#deps.db;
    const members: Member[] = [];
    const { size } = database;
    yield measured({ name: basename(path), size, content: chunksOf(database) }, members, onBytes);
    const root = new HeldRoot(dirname(path));
    for (const file of files) {
      using opened = openSource(root, file.path);
      counts[opened ? "files" : "missed"] += 1;
      if (opened) yield measured(opened.source, members, onBytes);
    }
    const facts = {
      format: BACKUP_FORMAT,
      service_version: version.version,
      created_at: rfc3339(time),
      ...counts,
      audit,
    };
    yield measured(textSource(FACTS_NAME, `${JSON.stringify(facts, null, 2)}\n`), members, () => {});
    yield textSource(SUMS_NAME, members.map(sumLine).join(""));
  }
}

function textSource(name: string, text: string): Source {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, content: [bytes] };
}

/** As `sha256sum` writes it, which escapes such a name and says so at the start of the line. */
function sumLine({ name, sha256 }: Member): string {
  const escaped = name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `${escaped === name ? "" : "\\"}${sha256}  ${escaped}\n`;
}
