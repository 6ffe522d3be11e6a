// Starts the service and stops it. Order: config, log, every refusal, database, reconcile, bind, admin token, serve.
// A start that is refused leaves nothing behind.

import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock, type Clock } from "../kit/clock.ts";
import { openDatabase, type Db } from "../kit/db.ts";
import { containerEvidence, type Environment } from "../kit/environment.ts";
import { AppError, messageOf } from "../kit/error.ts";
import { accessLog } from "../kit/http/access-log.ts";
import { listen, type Listener } from "../kit/http/serve.ts";
import { createLog, type Log, type LogOptions, type OpenLog } from "../kit/log.ts";
import { migrate } from "../kit/migrate.ts";
import { PRIVATE_DIRECTORY_MODE } from "../kit/modes.ts";
import type { Network } from "../kit/outbound.ts";
import { version } from "../kit/version.ts";
import { sealStoredKeys } from "./catalog/keys.ts";
import { isLoopbackAdmin, loadConfig } from "./config/config.ts";
import type { Config, ServeFlags } from "./config/schema.ts";
import type { TransportTimes } from "./llm/transport.ts";
import { migrations } from "./migrations/migrations.ts";
import { buildParts, type Parts } from "./parts.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { refuseImpossibleSwitches } from "./sandbox/probe.ts";
import { createHandler, QUIET_ROUTES } from "./server.ts";
import { embeddedUi, type ServeUi } from "./ui.ts";

export const DATABASE_NAME = "service.db";
/** Databases that lack this migration may hold keys in the clear. */
const SEALED_SINCE = "009_approvals_keys_audit";
const STOP_DEADLINE_MS = 9_000;

export interface StartOptions {
  flags: ServeFlags;
  environment: Environment;
  log: Pick<LogOptions, "format" | "write">;
  clock?: Clock;
  /** Shorter waits for tests of slow providers. */
  times?: TransportTimes;
  /** Where gears run; tests of isolation hand in one of their own. */
  sandbox?: Sandbox;
  /** The way out, for tests of it. */
  network?: Network;
  /** The interface: what was compiled in, by default. */
  ui?: ServeUi;
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
  const data = openData(config.data, log);
  let listener: Listener | undefined;
  try {
    const report = migrate(data.db, migrations, clock.now(), (missing) => {
      if (missing.some(({ name }) => name === SEALED_SINCE)) sealStoredKeys(data.db, config.secretsKey, log);
    });
    if (report.backup)
      log.info("database upgraded", { migrations: report.applied.join(","), backup: report.backup });
    const ownListener = () => listener && { host: config.listen.host, port: listener.port };
    const parts = buildParts({ ...options, db: data.db, clock, log, ownListener, config });
    prepare(parts, log);
    const { host, port } = config.listen;
    const { loopbackAdmin, allowedHosts } = config;
    const watch = parts.metrics.watch(accessLog(log, QUIET_ROUTES));
    const handle = createHandler(parts, options.ui ?? embeddedUi(), log);
    listener = listen({ host, port, loopbackAdmin, allowedHosts, watch }, handle, log);
    // In the same tick as the bind, so no request comes before it, and no token is shown that a refused bind would take back.
    seedAdmin(parts, config, log);
    announce(config, listener, options.environment, parts, log);
    parts.turns.startQueued();
    parts.workspaces.removal.resume();
    parts.background.run("sweep of terminals", () => parts.terminals.prepare());
    const verifying = new AbortController();
    parts.background.run("verification of the audit", () => verifyAudit(parts, verifying.signal, log));
    return running(parts, listener, log, verifying);
  } catch (error) {
    await listener?.close();
    data.undo();
    log.flush();
    throw error;
  }
}

interface Data {
  readonly db: Db;
  /** Closes the database, and takes away what this start created. */
  readonly undo: () => void;
}

function openData(directory: string, log: Log): Data {
  const made = missingDirectories(directory);
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    const db = openDatabase(join(directory, DATABASE_NAME), (error) =>
      log.error("a callback after a commit failed", { error: messageOf(error) }),
    );
    return { db, undo: () => (db.discard(), removeEmpty(made)) };
  } catch (error) {
    removeEmpty(made);
    if (error instanceof AppError) throw error;
    throw new AppError("invalid", `data directory ${directory}: ${messageOf(error)}`);
  }
}

/** Those on the way that do not exist yet, the deepest first. */
function missingDirectories(directory: string): string[] {
  const parent = dirname(directory);
  return existsSync(directory) || parent === directory ? [] : [directory, ...missingDirectories(parent)];
}

/** Only what is empty: whatever else came to lie there is not ours to remove. */
function removeEmpty(directories: readonly string[]): void {
  for (const directory of directories) {
    try {
      rmdirSync(directory);
    } catch {
      return;
    }
  }
}

function prepare(parts: Parts, log: Log): void {
  const interrupted = parts.turns.reconcile();
  if (interrupted > 0) log.warn("turns were interrupted by the last stop", { turns: interrupted });
  const runs = parts.gearRuns.reconcile();
  if (runs > 0) log.warn("gear runs were interrupted by the last stop", { runs });
  const withdrawn = parts.gears.reconcile();
  if (withdrawn > 0)
    log.warn("approvals of an earlier build did not cover descriptions: approve these gears again", {
      gears: withdrawn,
    });
  for (const { error, providers } of parts.providers.lockedKeys())
    log.error("stored provider keys cannot be used", { error, providers });
  parts.searches.prepare();
  parts.users.pruneIdleSessions();
  parts.directories.reconcile();
  const audit = parts.audit.head();
  log.info("audit", { entries: audit.seq, head: audit.hash });
}

function seedAdmin(parts: Parts, config: Config, log: Log): void {
  const seeded = parts.users.seedAdmin(config.seedToken);
  if (!seeded) return;
  if (seeded.given) log.info("admin created: its token is the one in SERVICE_ADMIN_TOKEN");
  else log.info("admin created: this token is shown only here", { token: seeded.token });
}

function announce(
  config: Config,
  listener: Listener,
  environment: Environment,
  parts: Parts,
  log: Log,
): void {
  log.info("listening", { url: listener.url, version: version.version, data: config.data });
  const evidence = containerEvidence(environment);
  if (evidence) {
    const on = isLoopbackAdmin(config);
    const why = config.loopbackAdmin ? `listening on ${config.listen.host}` : "loopback_admin is false";
    log.info(`this looks like a container: loopback privilege is ${on ? "on" : "off"}`, { evidence, why });
  }
  parts.background.run("sandbox", () => parts.sandbox.prepare());
}

/** Paced, while requests are served. */
async function verifyAudit({ audit }: Parts, signal: AbortSignal, log: Log): Promise<void> {
  try {
    const { ok, broken_at, problem, entries } = await audit.check(signal);
    if (!ok) log.error("the audit chain is broken", { at: broken_at, problem, entries_before: entries });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function running(parts: Parts, listener: Listener, log: OpenLog, verifying: AbortController): Service {
  let stopped: Promise<void> | undefined;
  return {
    url: listener.url,
    port: listener.port,
    stop: (reason) => {
      verifying.abort();
      return (stopped ??= stop(parts, listener, log, reason));
    },
  };
}

async function stop(parts: Parts, listener: Listener, log: OpenLog, reason: string): Promise<void> {
  log.info("stopping", { reason });
  void listener.drain();
  parts.terminals.stop();
  parts.workspaces.removal.stop();
  // As background work: bounded as a whole, and a failure (a full disk) does not keep the rest from being closed.
  parts.background.run("stop of turns", async () => {
    await parts.turns.stop();
    await parts.gearRuns.stop();
    parts.searches.stop();
    await parts.sandbox.stop();
    parts.streams.endAll();
  });
  parts.refusals.flush();
  parts.background.run("last-used times", () => parts.authentication.flushLastUsed());
  if ((await parts.background.settle(STOP_DEADLINE_MS)) === "deadline")
    log.warn("some work did not end in time");
  parts.streams.endAll();
  await listener.close();
  parts.workers.close();
  parts.db.close();
  log.flush();
  log.info("stopped");
}
