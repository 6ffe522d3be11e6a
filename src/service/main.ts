// Starts the service and stops it. Order: config, log, every refusal, database, reconcile, admin token, bind, serve.
// A start that is refused leaves nothing behind.

import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock, type Clock } from "../kit/clock.ts";
import { openDatabase, type Db } from "../kit/db.ts";
import { containerEvidence, type Environment } from "../kit/environment.ts";
import { AppError, messageOf } from "../kit/error.ts";
import { isLoopbackAddress } from "../kit/http/guard.ts";
import { listen, type Listener } from "../kit/http/serve.ts";
import { createLog, type Log, type LogOptions } from "../kit/log.ts";
import { migrate } from "../kit/migrate.ts";
import { version } from "../kit/version.ts";
import { loadConfig } from "./config/config.ts";
import type { Config, ServeFlags } from "./config/schema.ts";
import type { TransportTimes } from "./llm/transport.ts";
import { migrations } from "./migrations/migrations.ts";
import { buildParts, type Parts } from "./parts.ts";
import { dockerAnswers, NOT_ISOLATED_WARNING, refuseImpossibleSwitches } from "./sandbox/probe.ts";
import { createHandler } from "./server.ts";

export const DATABASE_NAME = "service.db";
const DIRECTORY_MODE = 0o700;
const STOP_DEADLINE_MS = 9_000;

export interface StartOptions {
  flags: ServeFlags;
  environment: Environment;
  log: Pick<LogOptions, "format" | "write">;
  clock?: Clock;
  /** Shorter waits for tests of slow providers. */
  times?: TransportTimes;
}

export interface Service {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, ends streams, marks turns, closes the database; within 10 s. */
  stop(reason: string): Promise<void>;
}

/** Raises AppError with the message that the operator sees. */
export async function startService(options: StartOptions): Promise<Service> {
  const clock = options.clock ?? systemClock;
  const config = loadConfig(options.flags, options.environment);
  const log = createLog({ ...options.log, level: config.logLevel, clock });
  await refuseImpossibleSwitches(config, options.environment);
  const data = openData(config.data);
  let listener: Listener | undefined;
  try {
    const report = migrate(data.db, migrations, clock.now());
    if (report.backup) log.info("database upgraded", { migrations: report.applied.join(","), backup: report.backup });
    const ownListener = () => listener && { host: config.listen.host, port: listener.port };
    const parts = buildParts({ db: data.db, clock, log, ownListener, ...(options.times ? { times: options.times } : {}) });
    prepare(parts, config, log);
    const { host, port } = config.listen;
    const { loopbackAdmin, allowedHosts } = config;
    listener = listen({ host, port, loopbackAdmin, allowedHosts }, createHandler(parts, log), log);
    announce(config, listener, options.environment, parts, log);
    return running(parts, listener, log);
  } catch (error) {
    await listener?.close();
    data.undo();
    throw error;
  }
}

interface Data {
  readonly db: Db;
  /** Closes the database, and takes away what this start created. */
  readonly undo: () => void;
}

function openData(directory: string): Data {
  const path = join(directory, DATABASE_NAME);
  const createdDirectory = firstMissing(directory);
  const fresh = !existsSync(path);
  const clean = () => {
    if (fresh) for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
    if (createdDirectory) rmSync(createdDirectory, { recursive: true, force: true });
  };
  try {
    mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
    const db = openDatabase(path);
    return { db, undo: () => (db.close(), clean()) };
  } catch (error) {
    clean();
    if (error instanceof AppError) throw error;
    throw new AppError("invalid", `data directory ${directory}: ${messageOf(error)}`);
  }
}

/** The topmost directory on the way that does not exist yet; undefined when all do. */
function firstMissing(directory: string): string | undefined {
  if (existsSync(directory)) return undefined;
  const parent = dirname(directory);
  return parent === directory ? directory : (firstMissing(parent) ?? directory);
}

function prepare(parts: Parts, config: Config, log: Log): void {
  const interrupted = parts.turns.reconcile();
  if (interrupted > 0) log.warn("turns were interrupted by the last stop", { turns: interrupted });
  parts.users.pruneIdleSessions();
  const audit = parts.audit.head();
  log.info("audit", { entries: audit.seq, head: audit.hash });
  const seeded = parts.users.seedAdmin(config.seedToken);
  if (!seeded) return;
  if (seeded.given) log.info("admin created: its token is the one in SERVICE_ADMIN_TOKEN");
  else log.info("admin created: this token is shown only here", { token: seeded.token });
}

function announce(config: Config, listener: Listener, environment: Environment, parts: Parts, log: Log): void {
  log.info("listening", { url: listener.url, version: version.version, data: config.data });
  const evidence = containerEvidence(environment);
  if (evidence) {
    const on = config.loopbackAdmin && isLoopbackAddress(config.listen.host);
    const why = config.loopbackAdmin ? `listening on ${config.listen.host}` : "loopback_admin is false";
    log.info(`this looks like a container: loopback privilege is ${on ? "on" : "off"}`, { evidence, why });
  }
  if (config.sandbox === "subprocess") log.warn(NOT_ISOLATED_WARNING);
  if (config.sandbox === "auto") {
    parts.background.run("sandbox probe", async () => {
      if (!(await dockerAnswers(environment))) log.warn(NOT_ISOLATED_WARNING);
    });
  }
}

function running(parts: Parts, listener: Listener, log: Log): Service {
  let stopped: Promise<void> | undefined;
  return {
    url: listener.url,
    port: listener.port,
    stop: (reason) => (stopped ??= stop(parts, listener, log, reason)),
  };
}

async function stop(parts: Parts, listener: Listener, log: Log, reason: string): Promise<void> {
  log.info("stopping", { reason });
  listener.drain();
  await parts.turns.stop();
  parts.streams.endAll();
  if ((await parts.background.settle(STOP_DEADLINE_MS)) === "deadline") log.warn("some work did not end in time");
  await parts.authentication.flushLastUsed();
  await listener.close();
  parts.db.close();
  log.info("stopped");
}
