// Backs up the data of the service while it runs: on request, and on schedule. One backup runs at a time; the state of the last one can be queried.

import { basename, dirname } from "node:path";
import { writeArchive } from "../../kit/backup/archive.ts";
import { BackupJobs, type Begun } from "../../kit/backup/backup-jobs.ts";
import type { BackupConfig } from "../../kit/backup/config.ts";
import { copiesOf } from "../../kit/backup/copies.ts";
import { BackupSchedule } from "../../kit/backup/schedule.ts";
import { Shelf } from "../../kit/backup/shelf.ts";
import { isInside, writeTarget } from "../../kit/backup/target.ts";
import { rfc3339, SECOND_MS, type Timers } from "../../kit/clock.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { counter, type Reading } from "../../kit/metrics/metrics.ts";
import { headText } from "../../context/library.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import { bytesOf, momentOf, type Moment, type MomentDeps } from "./moment.ts";
import type { Backup, BackupsOverview } from "./schema.ts";
import { sourcesOf, type Tally } from "./sources.ts";

interface BackupsDeps extends MomentDeps {
  readonly config: BackupConfig;
  /** Has the credentials of the bucket for copies. */
  readonly environment: Environment;
  readonly background: Background;
  readonly timers: Timers;
}

type Result = NonNullable<Backup["result"]>;

export class Backups {
  readonly #deps: BackupsDeps;
  readonly #jobs: BackupJobs<Result>;
  readonly #shelf: Shelf;
  readonly schedule: BackupSchedule;
  /** Backups since the start that had to leave out memory. */
  #withoutMemory = 0;

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
      memory: this.#deps.memory?.kind ?? "left_out",
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

  /** Empty if the operator set no directory. */
  readings(): Reading[] {
    if (this.#shelf.directory === "") return [];
    const name = "service_backup_without_memory_total";
    const help = "Backups that lack memory because it could not be read";
    return [...this.schedule.readings(), counter(name, help, () => this.#withoutMemory)];
  }

  /** Called before the service closes the database. */
  close(): void {
    this.schedule.stop();
    this.#jobs.abort("the service is stopping");
  }

  /** `actor` null: the service itself. */
  #start(actor: Caller | null, by: "person" | "schedule"): Begun<Result> {
    const { audit, clock, db, memory } = this.#deps;
    if (this.#shelf.directory === "")
      throw new AppError(
        "refused",
        "no directory for backups is set; set backup.directory in the configuration file",
      );
    this.#jobs.requireIdle();
    const file = this.#shelf.newFile(clock.now(), by, dirname(db.path));
    refuseInside(memory?.folder, file);
    const decision = { action: "backup.create", target: `backup:${basename(file)}` };
    return this.#jobs.start(file, async (shown, signal) => {
      await db.write(() => audit.record(actor, decision));
      return this.#make(shown, signal);
    });
  }

  async #make(shown: Backup, signal: AbortSignal): Promise<Result> {
    const { db } = this.#deps;
    return writeTarget(shown.file, async (handle) => {
      using moment = await momentOf(this.#deps, signal);
      const { time, audit } = moment;
      shown.bytes_total = bytesOf(moment);
      const tally: Tally = { data: { files: 0, missed: 0 }, memory: { files: 0, missed: 0 } };
      const facts = () => ({ ...tally.data, audit, ...memoryFacts(moment, tally) });
      const onBytes = (count: number) => void (shown.bytes_done += count);
      const sources = sourcesOf(moment, { path: db.path, tally, onBytes }, facts);
      const written = await writeArchive(handle, sources, Math.floor(time / SECOND_MS), signal);
      if (moment.memoryProblem !== undefined) this.#withoutMemory += 1;
      return { ...written, created_at: rfc3339(time), ...facts() };
    });
  }
}

/** Each backup would contain those before it. Raises `invalid`. */
function refuseInside(memory: string | undefined, file: string): void {
  if (memory === undefined || !isInside(dirname(file), memory)) return;
  throw new AppError(
    "invalid",
    `${file} is inside the folder of memory, so each backup would contain the earlier ones; choose a place outside`,
  );
}

function memoryFacts(
  { memory, memoryProblem }: Moment,
  tally: Tally,
): Pick<Result, "memory" | "memory_problem"> {
  if (!memory) return { memory: null, memory_problem: memoryProblem ?? null };
  const { name, head } = memory.frozen;
  return { memory: { space: name, head: headText(head), ...tally.memory }, memory_problem: null };
}
