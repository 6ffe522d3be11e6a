// Opens a server's data directory, with or without a listener, and closes it. Order: config, log, database, reconcile, bind, serve.
// The database lock ensures that one process at a time owns a data directory.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock, type Clock, type Timers } from "../kit/clock.ts";
import { stateFile } from "../kit/replication/local-state.ts";
import { openDatabase } from "../kit/storage/db.ts";
import type { Environment } from "../kit/environment.ts";
import { AppError, messageOf } from "../kit/error.ts";
import type { Exchange } from "../kit/http/exchange.ts";
import type { Handle } from "../kit/http/serve.ts";
import { createLog, type Log, type LogOptions, type OpenLog } from "../kit/log.ts";
import { migrate } from "../kit/storage/migrate.ts";
import { loadServerConfig } from "./config/config.ts";
import { auditPath } from "./audit/audit-file.ts";
import { secretsKeyPath } from "./config/directory.ts";
import type { ServerConfig } from "./config/schema.ts";
import { readTls, validity } from "./config/tls-files.ts";
import { Listening } from "./listening.ts";
import { HOOKS_SINCE, SEALED_SINCE, serverMigrations, serverSchema } from "./migrations/migrations.ts";
import { buildParts, type Parts } from "./parts.ts";
import { StartingDoor } from "./people/starting-door.ts";
import { settledFirst, type Copying } from "./replication/copying.ts";
import { createHandler } from "./server.ts";
import type { AcmeOptions, ServerAcme } from "./server-acme.ts";
import type { Listen } from "./setup/setup.ts";
import type { SshLimits } from "./ssh/limits.ts";
import type { OutboundOptions } from "./webhooks/build.ts";
import { sealStoredSecrets } from "./webhooks/secrets.ts";

export const DATABASE_NAME = "server.db";
/** Keeps a second process out of the data directory of a node while none of its databases is open. */
export const NODE_LOCK = "replication-lock.db";
/** Of the ten seconds that a stop may take: what is closed after it needs time, too. */
const STOP_DEADLINE_MS = 8_000;

export interface OpenOptions {
  /** Absolute; contains `server.yaml`. */
  readonly directory: string;
  readonly log: Pick<LogOptions, "format" | "write">;
  readonly clock?: Clock;
  /** For tests. */
  readonly outbound?: OutboundOptions;
  /** For tests. */
  readonly timers?: Timers;
  /** For a server without users: the code that opens its setup pages. */
  readonly setupCode?: string;
  /** For tests. */
  readonly sshLimits?: Partial<SshLimits>;
  /** Has credentials: of a provider for DNS-01, of a bucket. */
  readonly environment?: Environment;
  /** For tests. */
  readonly acme?: AcmeOptions;
  /** For a server with several nodes: copies what changes to the others. */
  readonly copying?: Copying;
  /** Opens the data of a server with several nodes without them: for data that is not in use, such as a restored backup. */
  readonly isApart?: boolean;
  /** Called once this process has the lock of the data. */
  readonly onLocked?: ((directory: string, log: Log) => void) | undefined;
}

/** An open server. Without a listener, it serves only this process. */
export interface OpenServer {
  /** Set by the listener: makes the server listen elsewhere, once the answer is out. */
  moveTo: (listen: Listen) => void;
  readonly config: ServerConfig;
  readonly parts: Parts;
  readonly handle: Handle;
  readonly log: Log;
  close(): Promise<void>;
}

/** Raises `conflict` while a server runs there, `refused` when its database is missing, `invalid` for a bad configuration. */
export function openServer(options: OpenOptions): OpenServer {
  const clock = options.clock ?? systemClock;
  const config = loadServerConfig(options.directory);
  const log = createLog({ ...options.log, level: config.logLevel, clock });
  if (!options.copying && options.isApart !== true) requireAlone(config);
  refuseLostDatabase(options.directory);
  const db = openDatabase(join(options.directory, DATABASE_NAME), (error) =>
    log.error("a callback after a commit failed", { error: messageOf(error) }),
  );
  if (options.copying) db.copyPagesTo(options.copying.server);
  try {
    options.onLocked?.(options.directory, log);
    const report = migrate(db, serverMigrations, clock.now(), {
      whole: serverSchema,
      beforeUpgrade: (missing) => {
        if (
          missing.some(({ name }) => name === SEALED_SINCE) &&
          !missing.some(({ name }) => name === HOOKS_SINCE)
        )
          sealStoredSecrets(db, secretsKeyPath(config), log);
      },
    });
    if (report.backup) log.info("database upgraded", { backup: report.backup });
    const { environment = {}, outbound, timers, copying } = options;
    const parts = buildParts({ db, clock, log, config, environment, outbound, timers, copying });
    prepare(parts);
    const { setupCode: code } = options;
    const setup = code === undefined ? undefined : { code, moveTo: (to: Listen) => opened.moveTo(to) };
    const handle = createHandler(parts, log, setup);
    const isOperator = (exchange: Exchange) => parts.authentication.isOperator(exchange);
    const opened: OpenServer = {
      config,
      parts,
      log,
      handle: copying ? settledFirst(handle, { copying, isOperator, log }) : handle,
      moveTo: () => {},
      close: () => close(parts, log),
    };
    return opened;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Changes that the log does not have would damage the copies of the other nodes. */
function requireAlone({ directory, replication }: ServerConfig): void {
  if (replication)
    throw new AppError(
      "refused",
      `${directory} belongs to a node of a server with several, and only the node that leads changes the data; start the server, and run the command on the node that leads`,
    );
  const state = stateFile(directory);
  if (existsSync(state))
    throw new AppError(
      "refused",
      `${directory} belongs to a node of a server with several, but its server.yaml has no replication; set it again, or delete ${state} to run this server alone from now on`,
    );
}

/** A new, empty database would lock everyone out and drop every deny rule, so the operator must ask for it. */
function refuseLostDatabase(directory: string): void {
  const database = join(directory, DATABASE_NAME);
  const record = auditPath(directory);
  if (existsSync(database) || (statSync(record, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new AppError(
    "refused",
    `${database} is missing, but ${record} shows that it existed; it holds users, tokens and rules; restore a backup, or move the audit record away to start without them`,
  );
}

function prepare(parts: Parts): void {
  parts.audit.open();
  parts.authentication.pruneExpired();
  parts.spaces.prepare();
}

async function close(parts: Parts, log: OpenLog): Promise<void> {
  parts.backups.close();
  parts.audit.stopReading();
  parts.staleEvents.stop();
  if ((await parts.background.settle(STOP_DEADLINE_MS)) === "deadline")
    log.warn("background work did not finish before the deadline");
  parts.streams.endAll();
  await parts.spaces.closeAll();
  await parts.events.settle();
  await parts.deliveries.stop();
  await parts.spans?.stop();
  await parts.authentication.flushLastUsed();
  await parts.sessions.flush();
  await parts.audit.close();
  await parts.db.checkpointing;
  parts.workers.close();
  parts.db.close();
  log.flush();
}

/** Reports whether another process has this server's data open, by trying its locks: for callers that cannot ask the server. */
export function isInUse(directory: string): boolean {
  return [DATABASE_NAME, NODE_LOCK].some((name) => isLocked(join(directory, name)));
}

function isLocked(path: string): boolean {
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
  /** Stops accepting connections, ends streams and closes everything, within 10 s. */
  stop(reason: string): Promise<void>;
}

interface StartedServer {
  readonly opened: OpenServer;
  readonly running: RunningServer;
  /** Resolves when it has tried to open every space. */
  readonly caughtUp: Promise<void>;
}

type StartOptions = OpenOptions & { readonly port?: number };

/** Opens the server and listens. `port` overrides the configured port. Raises what `openServer` and the bind raise. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  return (await startOpen(options)).running;
}

/** As `startServer`, for a caller that also needs its parts. */
export async function startOpen(options: StartOptions): Promise<StartedServer> {
  let door: StartingDoor | undefined;
  // A node has one already.
  const onLocked = options.copying ? undefined : (at: string, log: Log) => (door = new StartingDoor(at, log));
  try {
    return await startLocked({ ...options, onLocked });
  } finally {
    await door?.close();
  }
}

async function startLocked(options: StartOptions): Promise<StartedServer> {
  const opened = openServer(options);
  const { config, parts, log } = opened;
  let listening: Listening | undefined;
  let ssh: Closable | undefined;
  let acme: ServerAcme | undefined;
  try {
    const { environment = {} } = options;
    acme = await openAcme(opened, options.acme ?? { environment });
    const tls = acme?.tls ?? readTls(config);
    const where = { host: config.listen.host, port: options.port ?? config.listen.port };
    const started = (listening = new Listening(parts, log, opened.handle, { ...where, tls }));
    if (tls !== undefined && !acme) parts.served.show(validity(tls, parts.clock.now()).until, "nothing");
    const back = { host: where.host, port: started.port };
    opened.moveTo = (to) =>
      parts.background.run("listening at the address of the setup", () => started.moveTo(to, back));
    ssh = await openSsh(opened, options.sshLimits);
    acme?.start(
      () => started.port,
      (renewed) => started.renew(renewed),
    );
    started.announce();
    if (options.setupCode === undefined && parts.logins.isUnclaimed())
      log.warn("this server has no users yet; stop it and run cairn init server to set it up");
    parts.deliveries.start();
    // A space with a large backlog after a crash takes a while to open.
    const caughtUp = parts.spaces.catchUpAll();
    parts.background.run("catching up on changes before a crash", () => caughtUp);
    parts.staleEvents.start();
    parts.backups.schedule.start();
    parts.background.run("verifying the audit record", () => parts.audit.examineAtStart());
    return { opened, running: running(opened, started, [acme, ssh]), caughtUp };
  } catch (error) {
    await acme?.close();
    await ssh?.close();
    await listening?.close();
    await opened.close();
    throw error;
  }
}

interface Closable {
  close(): Promise<void>;
}

/** Undefined if it is not enabled. Its code is loaded only then. */
async function openAcme(
  { config, parts }: OpenServer,
  options: AcmeOptions,
): Promise<ServerAcme | undefined> {
  if (config.tls?.acme === undefined) return undefined;
  const { openAcme: open } = await import("./server-acme.ts");
  return open(parts, config.tls.acme, options);
}

/** Undefined if it is not enabled. Its code is loaded only then. */
async function openSsh({ config, parts, log }: OpenServer, limits?: Partial<SshLimits>) {
  if (!config.ssh.enabled) return undefined;
  const { serveSsh } = await import("./server-ssh.ts");
  return serveSsh(parts, config, log, limits);
}

function running(
  opened: OpenServer,
  listening: Listening,
  others: readonly (Closable | undefined)[],
): RunningServer {
  const { log, parts } = opened;
  let stopped: Promise<void> | undefined;
  const stop = async (reason: string) => {
    log.info("stopping", { reason });
    // As background work, because closing waits for that up to a deadline. Requests already accepted are answered.
    parts.background.run("answering open requests", () => listening.drain());
    parts.streams.endAll();
    for (const other of others) await other?.close();
    await opened.close();
    await listening.close();
    log.info("stopped");
  };
  return {
    get url() {
      return listening.url;
    },
    get port() {
      return listening.port;
    },
    stop: (reason) => (stopped ??= stop(reason)),
  };
}
