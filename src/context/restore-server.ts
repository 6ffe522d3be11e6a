// Restores a server's data directory from a backup, after verifying the whole backup. The directory is built under a temporary name and becomes
// a server in one last step: until then no command mistakes it for a server, and a failure leaves nothing behind.

import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { PRIVATE_DIRECTORY_MODE } from "../kit/disk/modes.ts";
import { checkContent } from "./backup/content.ts";
import type { AuditInBackup, Manifest } from "./backup/schema.ts";
import { unpack, type Unpacked } from "./backup/unpack.ts";
import { readServerConfig } from "./config/config.ts";
import { CONFIG_FILE_NAME, secretsKeyPath } from "./config/directory.ts";
import type { ServerConfig } from "./config/schema.ts";
import { openSqliteEngine } from "./versioned-store/sqlite/engine.ts";
import { headText } from "./versioned-store/head.ts";
import { openServer } from "./main.ts";
import { localCaller } from "./identity/caller.ts";
import { runningDoor, systemUser } from "./people/local-door.ts";
import { systemClock, type Clock } from "../kit/clock.ts";
import { brokenLinkProblem, guarded, isUnwritable, problemWithoutPlace } from "../kit/disk/disk.ts";
import { temporaryFolder } from "../kit/disk/temporary-folder.ts";
import { AppError, systemCode } from "../kit/error.ts";
import type { Log, LogOptions } from "../kit/log.ts";
import { randomHex } from "../kit/random.ts";
import { syncDirectory } from "../kit/disk/replace-file.ts";

const NAME_BITS = 48;

/** Progress of each step: files unpacked, bytes checked against their hashes, spaces restored. */
export type OnProgress = (step: "unpacking" | "checking" | "restoring", done: number) => void;

interface RestoreServer {
  /** Absolute. */
  readonly file: string;
  /** Absolute; missing or empty. */
  readonly directory: string;
  /** `any` also accepts a chain that was already broken in the backup; it stays broken, and every start reports it. */
  readonly audit: "whole" | "any";
}

export interface RestoredServer {
  readonly directory: string;
  readonly file: string;
  /** When the backup was made. */
  readonly created_at: string;
  readonly spaces: readonly {
    readonly name: string;
    /** Has a new epoch, so that clients stop and ask. */
    readonly head: string;
    readonly files: number;
    readonly bytes: number;
    readonly versions: number;
  }[];
  readonly audit: { readonly entries: number };
  /** Webhooks that cannot sign until the key file is restored: no backup contains it. */
  readonly sealed: { readonly webhooks: number; readonly key_file: string };
  /** For TLS: no backup contains the certificate, its key or the account at the authority. */
  readonly tls: {
    /** The files without which the server does not start. */
    readonly missing: readonly string[];
    /** The folder of the authority, from which the server orders a new certificate. */
    readonly acme: string | null;
  };
}

interface VerifiedBackup {
  readonly file: string;
  readonly sha256: string;
  readonly cairn_version: string;
  readonly created_at: string;
  readonly spaces: Manifest["spaces"];
  readonly audit: typeof AuditInBackup.static;
}

interface Restoring {
  readonly log: Pick<LogOptions, "format" | "write">;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  readonly clock?: Clock;
}

/** Verifies a whole backup; needs room for its content in `scratch`. Raises `invalid` or `refused` for the first problem. */
export async function verifyBackup(
  file: string,
  scratch: string,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<VerifiedBackup> {
  const directory = temporaryFolder(scratch, "cairn-verify-");
  try {
    const { manifest, sha256, auditProblem } = await proven(file, directory, signal, onProgress);
    if (auditProblem !== undefined) throw brokenAudit(file, auditProblem);
    const { cairn_version, created_at, spaces, audit } = manifest;
    return { file, sha256, cairn_version, created_at, spaces, audit };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Raises `conflict` for a directory that is in use or not empty, and what `verifyBackup` raises. */
export async function restoreServer(
  { file, directory, audit }: RestoreServer,
  { log, signal, onProgress, clock = systemClock }: Restoring,
): Promise<RestoredServer> {
  await refuseUsed(directory);
  const isThere = existsSync(directory);
  const name = `.restore-${randomHex(NAME_BITS)}`;
  // An existing directory may be a mount point or have an owner, so keep it and build inside it.
  const build = isThere ? join(directory, name) : join(dirname(directory), `${name}-${basename(directory)}`);
  await makeBuild(build);
  try {
    const { manifest, sha256, auditProblem } = await proven(file, build, signal, onProgress);
    if (auditProblem !== undefined && audit === "whole") throw brokenAudit(file, auditProblem);
    const spaces = await makeSpaces(build, manifest, { clock, signal, onProgress });
    const about = { target: basename(file), contentHash: sha256 };
    const { entries, webhooks, secretsKey } = await recordRestore(build, about, log, clock);
    await guarded(directory, () => (isThere ? moveUp(build, directory) : moveTo(build, directory)));
    const sealed = { webhooks, key_file: secretsKeyPath({ directory, secretsKey }) };
    const { created_at } = manifest;
    const tls = tlsLeftOut(readServerConfig(directory));
    return { directory, file, created_at, spaces, audit: { entries }, sealed, tls };
  } finally {
    await rm(build, { recursive: true, force: true });
  }
}

async function makeBuild(path: string): Promise<void> {
  await guarded(path, () =>
    mkdir(path, { mode: PRIVATE_DIRECTORY_MODE }).catch((error: unknown) => {
      if (!isUnwritable(error)) throw error;
      const reason = problemWithoutPlace(error);
      throw new AppError(
        "refused",
        `${dirname(path)} cannot be written: ${reason}; restore into another directory`,
      );
    }),
  );
}

async function proven(
  file: string,
  directory: string,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<Unpacked & { readonly auditProblem: string | undefined }> {
  let done = 0;
  const unpacked = await unpack(file, directory, signal, (count) => onProgress("unpacking", (done += count)));
  done = 0;
  try {
    const onBytes = (count: number) => onProgress("checking", (done += count));
    return { ...unpacked, auditProblem: await checkContent(directory, unpacked.manifest, signal, onBytes) };
  } catch (error) {
    const isDamage = error instanceof AppError && error.code === "invalid";
    throw isDamage ? new AppError("invalid", `${file}: ${error.message}`) : error;
  }
}

function brokenAudit(file: string, problem: string): AppError {
  return new AppError(
    "invalid",
    `${file}: ${problem}; the chain was already broken when the backup was made; to restore it as it is, use cairn backup restore --broken-audit`,
  );
}

async function refuseUsed(directory: string): Promise<void> {
  const door = await runningDoor(directory);
  if (door)
    throw new AppError(
      "conflict",
      `${directory} is in use by a running server (process ${door.pid}); restore into another directory`,
    );
  refuseLost(directory);
  const broken = brokenLinkProblem(directory);
  if (broken !== undefined)
    throw new AppError("conflict", `${directory}: ${broken}; restore into another directory`);
  const there = statSync(directory, { throwIfNoEntry: false });
  if (!there) return;
  if (!there.isDirectory()) throw new AppError("conflict", `${directory} is not a directory`);
  if (readdirSync(directory).length > 0)
    throw new AppError(
      "conflict",
      `${directory} is not empty; restore into another directory, or empty it first`,
    );
}

function refuseLost(directory: string): void {
  const parent = dirname(directory);
  if (!existsSync(parent)) throw new AppError("invalid", `${parent}: no such directory; create it first`);
  if (!statSync(parent).isDirectory())
    throw new AppError("invalid", `${parent}: not a directory; restore into another directory`);
}

/** Gives each space a new epoch and writes its working tree. Raises `unavailable` when a file of the tree cannot be written. */
async function makeSpaces(
  build: string,
  manifest: Manifest,
  { clock, signal, onProgress }: Required<Omit<Restoring, "log">>,
): Promise<RestoredServer["spaces"]> {
  const made: RestoredServer["spaces"][number][] = [];
  for (const { name, files, bytes, versions } of manifest.spaces) {
    signal.throwIfAborted();
    const problems: string[] = [];
    const engine = openSqliteEngine({
      directory: join(build, "spaces", name),
      clock,
      log: listening(problems),
    });
    try {
      engine.newEpoch();
      const behind = engine.treeBehind();
      if (behind.length > 0)
        throw new AppError("unavailable", `cannot write ${name}/${behind[0]}: ${problems[0]}`);
      made.push({ name, head: headText(engine.head()), files, bytes, versions });
    } finally {
      await engine.close();
    }
    onProgress("restoring", made.length);
  }
  return made;
}

/** A log that collects the errors of the working tree. */
function listening(problems: string[]): Log {
  const keep = (message: string, facts?: Record<string, unknown>) =>
    void problems.push(String(facts?.["error"] ?? message));
  return { debug: () => {}, info: () => {}, warn: () => {}, error: keep };
}

function tlsLeftOut({ directory, tls }: Pick<ServerConfig, "directory" | "tls">): RestoredServer["tls"] {
  if (tls?.acme) return { missing: [], acme: tls.acme.cacheDirectory };
  const files = tls === undefined ? [] : [tls.certFile, tls.keyFile].map((file) => resolve(directory, file));
  return { missing: files.filter((file) => !existsSync(file)), acme: null };
}

/** Continues the audit chain of the backup. Returns the number of its entries, and of the webhooks that cannot sign. */
async function recordRestore(
  build: string,
  about: { target: string; contentHash: string },
  log: Pick<LogOptions, "format" | "write">,
  clock: Clock,
): Promise<{ entries: number; webhooks: number; secretsKey: string }> {
  const server = openServer({ directory: build, log, clock, isApart: true });
  try {
    const { audit, webhooks } = server.parts;
    const { secretsKey } = server.config;
    audit.record(localCaller(systemUser()), { action: "backup.restore", ...about });
    if (audit.failures > 0) throw new AppError("unavailable", "cannot write the audit record of the restore");
    return { entries: audit.entries, webhooks: webhooks.withoutSecret(), secretsKey };
  } finally {
    await server.close();
  }
}

async function moveTo(build: string, directory: string): Promise<void> {
  try {
    await rename(build, directory);
  } catch (error) {
    const came = ["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(systemCode(error) ?? "");
    throw came
      ? new AppError("conflict", `${directory} was created by another process in the meantime`)
      : error;
  }
  await syncDirectory(dirname(directory));
}

/** Moves the configuration last, because it makes the directory a server's. */
async function moveUp(build: string, directory: string): Promise<void> {
  const names = (await readdir(build)).filter((name) => name !== CONFIG_FILE_NAME);
  const moved: string[] = [];
  try {
    for (const name of [...names, CONFIG_FILE_NAME]) {
      if (existsSync(join(directory, name)))
        throw new AppError(
          "conflict",
          `${join(directory, name)} was created by another process in the meantime`,
        );
      await rename(join(build, name), join(directory, name));
      moved.push(name);
    }
    await syncDirectory(directory);
  } catch (error) {
    for (const name of moved) await rm(join(directory, name), { recursive: true, force: true });
    throw error;
  }
}
