// The foundation that every feature is built on.

import type { Background } from "../kit/concurrency/background.ts";
import type { Clock } from "../kit/clock.ts";
import type { Db } from "../kit/storage/db.ts";
import type { Environment } from "../kit/environment.ts";
import type { Log } from "../kit/log.ts";
import type { WorkerPool } from "../kit/workers/pool.ts";
import type { Audit } from "./audit/audit.ts";
import type { Config } from "./config/schema.ts";
import type { Journal } from "./journal/journal.ts";

export interface Ground {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
  readonly environment: Environment;
  readonly background: Background;
  readonly workers: WorkerPool;
  readonly audit: Audit;
  readonly journal: Journal;
}
