// Opens a server's data directory, with or without a listener, and closes it again. Order: config, log, database, reconcile, bind, serve.
// One process owns a data directory at a time: the lock of its database sees to that.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock, type Clock } from "../kit/clock.ts";
import { openDatabase } from "../kit/db.ts";
import { AppError, messageOf } from "../kit/error.ts";
import { accessLog } from "../kit/http/access-log.ts";
import { listen, type Handle, type Listener } from "../kit/http/serve.ts";
import { createLog, type Log, type LogOptions, type OpenLog } from "../kit/log.ts";
import { migrate } from "../kit/migrate.ts";
import { version } from "../kit/version.ts";
import { loadServerConfig } from "./config/config.ts";
import { auditPath } from "./audit/audit-file.ts";
import { secretsKeyPath } from "./config/directory.ts";
import type { ServerConfig } from "./config/schema.ts";
import { HOOKS_SINCE, SEALED_SINCE, serverMigrations } from "./migrations/migrations.ts";
import { buildParts, type OutboundOptions, type Parts } from "./parts.ts";
import { LocalDoor } from "./people/local-door.ts";
import { createHandler } from "./server.ts";
import { sealStoredSecrets } from "./webhooks/secrets.ts";

export const DATABASE_NAME = "server.db";
const STOP_DEADLINE_MS = 9_000;
const QUIET_ROUTES = ["/health", "/api/v1/health"];

export interface OpenOptions {
  /** Absolute, with a `server.yaml` in it. */
  readonly directory: string;
  readonly log: Pick<LogOptions, "format" | "write">;
  readonly clock?: Clock;
  /** For tests. */
  readonly outbound?: OutboundOptions;
}

/** A server's data, opened: without a listener it is the same server for this process alone. */
export interface OpenServer {
  readonly config: ServerConfig;
  readonly parts: Parts;
  readonly handle: Handle;
  readonly log: Log;
  close(): Promise<void>;
}

/** Raises `conflict` while a server runs there, `refused` when its database is gone, `invalid` for a configuration that is wrong. */
export function openServer(options: OpenOptions): OpenServer {
  const clock = options.clock ?? systemClock;
  const config = loadServerConfig(options.directory);
  const log = createLog({ ...options.log, level: config.logLevel, clock });
  refuseLostDatabase(options.directory);
  const db = openDatabase(join(options.directory, DATABASE_NAME), (error) =>
    log.error("a callback after a commit failed", { error: messageOf(error) }),
  );
  try {
    const report = migrate(db, serverMigrations, clock.now(), (missing) => {
      if (
        missing.some(({ name }) => name === SEALED_SINCE) &&
        !missing.some(({ name }) => name === HOOKS_SINCE)
      )
        sealStoredSecrets(db, secretsKeyPath(config), log);
    });
    if (report.backup) log.info("database upgraded", { backup: report.backup });
    const parts = buildParts({ db, clock, log, config, outbound: options.outbound });
    prepare(parts);
    return { config, parts, log, handle: createHandler(parts, log), close: () => close(parts, log) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A new one in its place would let nobody in, and forget every rule that denies. Whoever wants that says so. */
function refuseLostDatabase(directory: string): void {
  const database = join(directory, DATABASE_NAME);
  const record = auditPath(directory);
  if (existsSync(database) || (statSync(record, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new AppError(
    "refused",
    `${database} is missing, though ${record} shows that there was one: people, tokens and rules are in it. Restore a backup, or move the audit record away to begin without them`,
  );
}

function prepare(parts: Parts): void {
  parts.audit.open();
  parts.authentication.pruneExpired();
  parts.spaces.prepare();
}

async function close(parts: Parts, log: OpenLog): Promise<void> {
  parts.backups.abort("the server stops");
  parts.audit.stopReading();
  if ((await parts.background.settle(STOP_DEADLINE_MS)) === "deadline")
    log.warn("some work did not end in time");
  parts.streams.endAll();
  await parts.spaces.closeAll();
  parts.workers.close();
  await parts.events.settle();
  await parts.deliveries.stop();
  await parts.authentication.flushLastUsed();
  await parts.audit.close();
  parts.db.close();
  log.flush();
}

/** Does another process have the data of this server open? For who can't ask it. */
export function isInUse(directory: string): boolean {
  const path = join(directory, DATABASE_NAME);
  if (!existsSync(path)) return false;
  try {
    openDatabase(path).close();
    return false;
  } catch (error) {
    return error instanceof AppError && error.code === "conflict";
  }
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, ends streams, closes everything; within 10 s. */
  stop(reason: string): Promise<void>;
}

/** Opens and listens. `port`: another one than configured, for tests. Raises what `openServer` raises, and a bind that is refused. */
export async function startServer(options: OpenOptions & { readonly port?: number }): Promise<RunningServer> {
  const opened = openServer(options);
  const { config, parts, log } = opened;
  let listener: Listener | undefined;
  try {
    const { host } = config.listen;
    const port = options.port ?? config.listen.port;
    const { allowedHosts } = config;
    const watch = parts.metrics.watch(accessLog(log, QUIET_ROUTES));
    listener = listen({ host, port, loopbackAdmin: false, allowedHosts, watch }, opened.handle, log);
    parts.listener.port = listener.port;
    const door = new LocalDoor(options.directory);
    parts.authentication.openLocalDoor(door.open(listener.url), door.name);
    parts.deliveries.start();
    log.info("listening", { url: listener.url, version: version.version, data: options.directory });
    // Opening a space that a crash left with much to write takes a while.
    parts.background.run("catching up on changes before a crash", () => parts.spaces.catchUpAll());
    parts.background.run("verifying the audit record", () => parts.audit.examineAtStart());
    return running(opened, listener, door);
  } catch (error) {
    await listener?.close();
    await opened.close();
    throw error;
  }
}

function running(opened: OpenServer, listener: Listener, door: LocalDoor): RunningServer {
  const { log, parts } = opened;
  let stopped: Promise<void> | undefined;
  const stop = async (reason: string) => {
    log.info("stopping", { reason });
    // As background work: closing waits for it, for so long. What was begun is finished and answered.
    parts.background.run("answering open requests", () => listener.drain());
    parts.streams.endAll();
    await opened.close();
    await listener.close();
    door.close();
    log.info("stopped");
  };
  return { url: listener.url, port: listener.port, stop: (reason) => (stopped ??= stop(reason)) };
}
