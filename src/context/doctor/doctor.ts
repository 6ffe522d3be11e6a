// `cairn doctor`: examines a server's data directory and its surroundings, and changes nothing. A running server holds its databases, so doctor
// asks it for what only it can see and reads the rest from disk.

import { existsSync } from "node:fs";
import { stateFile } from "../../kit/replication/local-state.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Environment } from "../../kit/environment.ts";
import { problemText, type HealthProblem } from "../../kit/health.ts";
import { Client, networkTransport } from "../client/client.ts";
import { healthOf, STANDBY, type ServerHealth } from "../client/server-health.ts";
import type { AuditVerification } from "../audit/schema.ts";
import type { ServerConfig } from "../config/schema.ts";
import { configOf, configVerdict } from "./configuration.ts";
import type { FileRecord } from "../versioned-store/schema.ts";
import { doorState, type Door } from "../people/local-door.ts";
import * as data from "./data-checks.ts";
import { fail, made, ok, quoted, skipped, type Finding, type Verdict } from "./finding.ts";
import { clockSense, disk, permissions, port } from "./surroundings.ts";

export interface Examination {
  readonly directory: string;
  readonly running: boolean;
  /** No check failed. */
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

/** `directory` exists; `scratch` receives temporary copies; `environment` may have credentials. Problems are findings, never exceptions. */
export async function examine(
  directory: string,
  scratch: string,
  clock: Clock,
  environment: Environment = {},
): Promise<Examination> {
  const place: data.Place = { directory, scratch, clock };
  const state = await doorState(directory);
  const door = state.kind === "running" ? state.door : undefined;
  const config = configOf(directory);
  const folders = data.listed(directory);
  const { spaces } = folders;
  const checks = [
    await made("permissions", null, () => permissions(directory)),
    await made("disk", null, () => disk(directory)),
    await made("clock", null, async () =>
      clockSense(clock.now(), await data.newest(door ? [] : spaces, place)),
    ),
    await made("configuration", null, () => configVerdict(config)),
    await made("port", null, () =>
      config.value
        ? port(config.value.listen.host, config.value.listen.port, door)
        : skipped("unknown: server.yaml does not load"),
    ),
    ...(await certificate(config.value, clock)),
    ...(await backups(config.value, clock)),
    ...(await nodes(config.value, environment, clock)),
    await made("run file", null, () => data.runFile(directory, state)),
    await made("bootstrap token", null, () => data.bootstrapToken(place)),
    await made("spaces", null, () => data.spacesVerdict(folders, directory)),
    ...(await (door
      ? asked(door, spaces, directory)
      : isNewNode(config.value, directory)
        ? [await made("database", null, () => skipped("this node has copied nothing yet"))]
        : read(spaces, place))),
  ];
  return {
    directory,
    running: door !== undefined,
    ok: checks.every((finding) => finding.state !== "fail"),
    checks,
  };
}

/** A node gets its data from the others. */
function isNewNode(config: ServerConfig | undefined, directory: string): boolean {
  return (
    config?.replication !== undefined &&
    !existsSync(data.databaseOf(directory)) &&
    !existsSync(stateFile(directory))
  );
}

/** Only of a server that speaks TLS. */
async function certificate(config: ServerConfig | undefined, clock: Clock): Promise<Finding[]> {
  if (config?.tls === undefined) return [];
  const { certificateVerdict } = await import("./certificate.ts");
  return [await made("certificate", null, () => certificateVerdict(config, clock.now()))];
}

/** Only of a server whose operator set a directory for them. */
async function backups(config: ServerConfig | undefined, clock: Clock): Promise<Finding[]> {
  if (config === undefined || config.backup.directory === "") return [];
  const { backupsVerdict } = await import("./backups.ts");
  const { backup, directory } = config;
  return [await made("backups", null, () => backupsVerdict(backup, directory, clock.now()))];
}

/** Only of a server with several nodes. */
async function nodes(
  config: ServerConfig | undefined,
  environment: Environment,
  clock: Clock,
): Promise<Finding[]> {
  if (config?.replication === undefined) return [];
  const { replicationVerdict } = await import("./replication.ts");
  const { replication, directory } = config;
  return [
    await made("replication", null, () =>
      replicationVerdict(replication, directory, environment, clock.now()),
    ),
  ];
}

/** Reads from disk, while no server has it open. */
async function read(spaces: readonly string[], place: data.Place): Promise<Finding[]> {
  const { directory } = place;
  const findings = [
    await made("database", null, () => data.database(data.databaseOf(directory), place)),
    await made("audit record", null, () => data.audit(place)),
  ];
  for (const space of spaces)
    findings.push(
      await made(
        "database",
        space,
        () =>
          data.lostDatabaseVerdict(space, directory) ??
          data.database(data.spaceDatabaseOf(directory, space), place),
      ),
      await made("working tree", space, () => data.tree(space, place)),
      await made("text index", space, () => data.index(space, place)),
    );
  return findings;
}

/** Asks the running server. One that is silent is asked once. */
async function asked(door: Door, spaces: readonly string[], directory: string): Promise<Finding[]> {
  const client = new Client(networkTransport(door.url, door.token));
  const held = "the running server has it open; a full check needs the server to be stopped";
  const health = await healthOf(door.url);
  const fromServer = async (look: () => Promise<Verdict>) =>
    health ? await look() : skipped("the running server does not answer");
  const findings = [
    await made("health", null, () => healthVerdict(health, door, directory)),
    await made("database", null, () => skipped(held)),
    await made("audit record", null, () =>
      fromServer(async () => data.auditVerdict(await client.get<AuditVerification>("/audit/verify"))),
    ),
  ];
  for (const space of spaces)
    findings.push(
      await made("database", space, () => data.lostDatabaseVerdict(space, directory) ?? skipped(held)),
      await made("working tree", space, () =>
        fromServer(async () =>
          data.treeVerdict(space, directory, await client.get<FileRecord[]>(`/spaces/${space}/files`)),
        ),
      ),
      await made("text index", space, () =>
        skipped("the running server brings it up to date before each search"),
      ),
    );
  return findings;
}

function healthVerdict(health: ServerHealth | undefined, { pid }: Door, directory: string): Verdict {
  const dir = `--server-dir ${quoted(directory)}`;
  const log = `see its log: cairn server logs ${dir}`;
  if (!health) {
    const stop = `stop it with cairn server stop ${dir}, or kill process ${pid}, and start it again`;
    return fail(`the server (process ${pid}) does not answer`, `${log}; ${stop}`);
  }
  const { status, problems } = health;
  if (status === "ok") return ok("the server reads and writes its storage");
  if (status === STANDBY) return ok("this node is on standby");
  const isFor = (wanted: HealthProblem["reason"]) => problems.some(({ reason }) => reason === wanted);
  const limit = "raise the limit of open files (ulimit -n), and start the server again";
  return fail(
    `the server reports ${[status, ...problems.map(problemText)].join(", ")}`,
    isFor("full") ? `free some space on the disk of ${directory}` : isFor("open_files") ? limit : log,
  );
}
