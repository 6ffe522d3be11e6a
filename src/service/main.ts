// Starts and stops the service. Order: configuration, log, checks that can refuse, database, reconciliation, bind, admin token, serve.
// A refused start leaves nothing behind.

import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock, type Clock, type Timers } from "../kit/clock.ts";
import { openDatabase, type Db } from "../kit/storage/db.ts";
import { containerEvidence, type Environment } from "../kit/environment.ts";
import { AppError, messageOf, systemCode } from "../kit/error.ts";
import { accessLog } from "../kit/http/access-log.ts";
import { listen, type Listener } from "../kit/http/serve.ts";
import { createLog, type Log, type LogOptions, type OpenLog } from "../kit/log.ts";
import { incomplete } from "../kit/storage/db-file.ts";
import { migrate } from "../kit/storage/migrate.ts";
import { accessProblem } from "../kit/disk/disk.ts";
import { PRIVATE_DIRECTORY_MODE } from "../kit/disk/modes.ts";
import type { Network } from "../kit/network/outbound.ts";
import { version } from "../kit/version.ts";
import { sealStoredKeys } from "./catalog/keys.ts";
import { isLoopbackAdmin, loadConfig } from "./config/config.ts";
import type { Config, ServeFlags } from "./config/schema.ts";
import type { TransportTimes } from "./llm/transport.ts";
import { migrations, wholeSchema } from "./migrations/migrations.ts";
import { buildParts, type Parts } from "./parts.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { refuseImpossibleSwitches } from "./sandbox/probe.ts";
import { createHandler, QUIET_ROUTES } from "./server.ts";
import { embeddedUi, type ServeUi } from "./ui.ts";
import { TERMINAL_PATHS } from "./terminal/schema.ts";

export const DATABASE_NAME = "service.db";
/** A database without this migration may contain provider keys in the clear. */
const SEALED_SINCE = "009_approvals_keys_audit";
/** Of the ten seconds that a stop may take: what is closed after it needs time, too. */
const STOP_DEADLINE_MS = 8_000;

export interface StartOptions {
  flags: ServeFlags;
  environment: Environment;
  log: Pick<LogOptions, "format" | "write">;
  clock?: Clock;
  /** Overrides the provider timeouts in tests. */
  times?: TransportTimes;
  /** Replaces the sandbox of gears in tests. */
  sandbox?: Sandbox;
  /** Replaces the system's network in tests. */
  network?: Network;
  /** Replaces the timers of the schedule of backups in tests. */
  timers?: Timers;
  /** Serves the interface; by default the one compiled in. */
  ui?: ServeUi;
}

export interface Service {
  readonly url: string;
  readonly port: number;
  /** Stops accepting requests, ends streams, marks turns as interrupted and closes the database, within 10 s. */
  stop(reason: string): Promise<void>;
}

/** Raises AppError with a message for the operator. */
export async function startService(options: StartOptions): Promise<Service> {
  const clock = options.clock ?? systemClock;
  const config = loadConfig(options.flags, options.environment);
  const log = createLog({ ...options.log, level: config.logLevel, clock });
  await refuseImpossibleSwitches(config, options.environment, log);
  const data = openData(config.data, log);
  let listener: Listener | undefined;
  try {
    const report = migrate(data.db, migrations, clock.now(), {
      whole: wholeSchema,
      settlesLater: true,
      beforeUpgrade: (missing) => {
        if (missing.some(({ name }) => name === SEALED_SINCE))
          sealStoredKeys(data.db, config.secretsKey, log);
      },
    });
    if (report.backup)
      log.info("database upgraded", { migrations: report.applied.join(","), backup: report.backup });
    const ownListener = () => listener && { host: config.listen.host, port: listener.port };
    const parts = buildParts({ ...options, db: data.db, clock, log, ownListener, config });
    // A part of a copied log may end before its first admin, and a new one would take over the data.
    if (!data.db.begun && !parts.users.hasAdmin()) throw incomplete(data.db.path, "it has no admin");
    await prepare(parts, log);
    const { host, port } = config.listen;
    const { loopbackAdmin, allowedHosts } = config;
    const watch = parts.metrics.watch(accessLog(log, QUIET_ROUTES));
    const handle = createHandler(parts, options.ui ?? embeddedUi(), log);
    const place = { host, port, loopbackAdmin, allowedHosts, socketPaths: TERMINAL_PATHS };
    listener = listen({ ...place, watch }, handle, log);
    // Same tick as the bind: no request can arrive first, and no token is shown if the bind fails.
    seedAdmin(parts, config, log);
    data.db.settle();
    announce(parts, listener, log);
    parts.turns.startQueued();
    parts.workspaces.removal.resume();
    parts.searchIndex.start();
    parts.backups.schedule.start();
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
  /** Closes the database and removes the directories that this start created. */
  readonly undo: () => void;
}

/** The files by which `cairn init server` recognises a server. */
const CONTEXT_SERVER_FILES = ["server.yaml", "server.db"];

/** Both programs have a `secrets.key`, and a backup of one holds nothing of the other. */
function refuseContextServer(directory: string): void {
  const there = (name: string) => existsSync(join(directory, name));
  if (there(DATABASE_NAME) || !CONTEXT_SERVER_FILES.some(there)) return;
  throw new AppError(
    "invalid",
    `data directory ${directory}: it holds a context server; start that with cairn server start, or choose another directory`,
  );
}

function openData(directory: string, log: Log): Data {
  refuseContextServer(directory);
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
    // `mkdirSync` says that a file is in the way as EEXIST.
    const problem = systemCode(error) === "EEXIST" ? "a file, not a directory" : accessProblem(error);
    throw new AppError("invalid", `data directory ${directory}: ${problem}; name another one with --data`);
  }
}

/** Returns the directories of the path that do not exist yet, deepest first. */
function missingDirectories(directory: string): string[] {
  const parent = dirname(directory);
  return existsSync(directory) || parent === directory ? [] : [directory, ...missingDirectories(parent)];
}

/** Stops at the first directory that is not empty: its content is not ours. */
function removeEmpty(directories: readonly string[]): void {
  for (const directory of directories) {
    try {
      rmdirSync(directory);
    } catch {
      return;
    }
  }
}

async function prepare(parts: Parts, log: Log): Promise<void> {
  // Before turns are interrupted, so that the event of a save comes before the end of its turn.
  const saves = await parts.files.recover();
  if (saves > 0) log.warn("recorded file saves that the last stop left unrecorded", { saves });
  const interrupted = parts.turns.reconcile();
  if (interrupted > 0) log.warn("the last stop interrupted turns", { turns: interrupted });
  const runs = parts.gearRuns.reconcile();
  if (runs > 0) log.warn("the last stop interrupted gear runs", { runs });
  const withdrawn = parts.gears.reconcile();
  if (withdrawn > 0)
    log.warn("approvals of earlier builds did not cover descriptions; approve these gears again", {
      gears: withdrawn,
    });
  for (const { error, providers } of parts.providers.lockedKeys())
    log.error("cannot decrypt the stored provider keys", { error, providers });
  parts.searches.prepare();
  parts.users.pruneIdleSessions();
  parts.directories.reconcile();
  parts.attachmentDirectories.reconcile();
  parts.attachments.start();
  const audit = parts.audit.head();
  log.info("audit", { entries: audit.seq, head: audit.hash });
}

function seedAdmin(parts: Parts, config: Config, log: OpenLog): void {
  const seeded = parts.users.seedAdmin(config.seedToken);
  if (!seeded) return;
  if (seeded.given) log.info("admin created with the token from SERVICE_ADMIN_TOKEN");
  else log.announce("admin created; its token is shown only here", { token: seeded.token });
}

function announce(parts: Parts, listener: Listener, log: Log): void {
  const { config, environment } = parts;
  log.info("listening", { url: listener.url, version: version.version, data: config.data });
  const evidence = containerEvidence(environment);
  if (evidence) {
    const on = isLoopbackAdmin(config);
    const why = config.loopbackAdmin ? `listening on ${config.listen.host}` : "loopback_admin is false";
    log.info(`this looks like a container; the loopback privilege is ${on ? "on" : "off"}`, {
      evidence,
      why,
    });
  }
  parts.background.run("sandbox", () => parts.sandbox.prepare(parts.gears.count > 0));
}

/** Runs in the background while requests are served. */
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
  parts.backups.close();
  parts.terminals.stop();
  parts.workspaces.removal.stop();
  parts.searchIndex.stop();
  // Run as background work, so that the total time is bounded and a failure (a full disk) does not prevent closing the rest.
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
    log.warn("background work did not finish before the deadline");
  parts.streams.endAll();
  await listener.close();
  await parts.db.checkpointing;
  await parts.memory.close().catch(() => undefined);
  parts.workers.close();
  parts.db.close();
  log.flush();
  log.info("stopped");
}
