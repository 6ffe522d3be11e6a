// The foundation that every feature is built on.

import type { Background } from "../kit/concurrency/background.ts";
import type { Clock } from "../kit/clock.ts";
import type { Db } from "../kit/storage/db.ts";
import type { Log } from "../kit/log.ts";
import type { WorkerPool } from "../kit/workers/pool.ts";
import type { Audit } from "./audit/audit.ts";
import type { ServerConfig } from "./config/schema.ts";
import type { Events } from "./events/events.ts";

export interface Ground {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: ServerConfig;
  readonly background: Background;
  readonly workers: WorkerPool;
  readonly audit: Audit;
  readonly events: Events;
  /** Resolves when this machine may speak of all changes so far, because other nodes have them. Undefined: at once; this server has one node. */
  readonly settled: (() => Promise<void> | undefined) | undefined;
}
