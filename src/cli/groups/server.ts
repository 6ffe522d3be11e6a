// `cairn server …`: starts, stops and inspects a local context server.

import { defineCommand } from "citty";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { doorState, isRunning, runFolder, runningDoor, type Door } from "../../context/people/local-door.ts";
import { knownProblem } from "../../kit/network/network-problem.ts";
import { askHealth, STANDBY, type ServerHealth } from "../../context/client/server-health.ts";
import { readServerConfig } from "../../context/config/config.ts";
import { DNS_PROVIDERS } from "../../context/config/schema.ts";
import { serverDirectory } from "../../context/config/directory.ts";
import { systemClock } from "../../kit/clock.ts";
import {
  ignoreSuspend,
  processEnvironment,
  stderrLogFormat,
  type Environment,
} from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { problemText } from "../../kit/health.ts";
import { createLog, type LogOptions } from "../../kit/log.ts";
import { STORAGE_VARIABLES } from "../../kit/object-storage/config.ts";
import { formatOf, logWriter, printData, printText } from "../../kit/terminal/output.ts";
import { forgetStop, requestStop, waitForStop } from "../../kit/processes/stop-request.ts";
import { serverDirArg } from "../connection.ts";
import { nextCommand } from "../next-command.ts";
import { startInBackground } from "../starting.ts";
import { serverUrl } from "../server-url.ts";
import { wholeNumber } from "../tables.ts";
import { waitFor } from "../wait-for.ts";
import { aliveText, isAlive, notRunning, shownUrl } from "./server-door.ts";
import { SILENT } from "./server-status.ts";

/** From the end of a server's work to the end of its process. */
const EXIT_WAIT_MS = 500;
const STOP_WAIT_MS = 15_000;

export const serverStart = defineCommand({
  meta: { name: "start", description: "Start the server in the foreground" },
  args: {
    ...serverDirArg,
    detach: { type: "boolean", description: "Run in the background and log to logs/server.log" },
    port: {
      type: "string",
      valueHint: "port",
      description: "Override the configured port for this run; 0: any free port",
    },
  },
  async run({ args }) {
    const port = args.port === undefined ? undefined : await portOf(args.port);
    const directory = serverDirectory(args["server-dir"], processEnvironment());
    const state = await doorState(directory);
    if (isAlive(state)) throw new AppError("conflict", aliveText(state));
    if (args.detach === true) return startDetachedServer(directory, args, port);
    const stopped = waitForStop(runFolder(directory));
    const log = {
      format: stderrLogFormat(processEnvironment()),
      write: logWriter(),
    };
    const own = createLog({ ...log, level: "warn", clock: systemClock });
    ignoreSuspend(() =>
      own.warn("Ctrl+Z is ignored: a suspended server cannot respond; stop it with Ctrl+C"),
    );
    const options = { directory, log, ...(port !== undefined && { port }) };
    await (readServerConfig(directory).replication ? runNode(options, stopped) : runServer(options, stopped));
  },
});

interface RunOptions {
  readonly directory: string;
  readonly log: Pick<LogOptions, "format" | "write">;
  readonly port?: number;
}

/** `stopped`: the reason, once someone stops it. */
async function runServer(options: RunOptions, stopped: Promise<string>): Promise<void> {
  const { startServer } = await import("../../context/main.ts");
  const server = await startServer({ ...options, environment: processEnvironment() });
  await server.stop(await stopped);
}

/** For one of several nodes. */
async function runNode(options: RunOptions, stopped: Promise<string>): Promise<void> {
  const { startReplicated } = await import("../../context/replicated-server.ts");
  const node = await startReplicated({ ...options, environment: processEnvironment() });
  await node.stop(await Promise.race([stopped, node.failed]));
}

/** Raises `invalid`. */
async function portOf(text: string): Promise<number> {
  const { portProblem } = await import("../init/new-server.ts");
  const problem = portProblem(text);
  if (problem !== undefined) throw new AppError("invalid", `--port "${text}": ${problem}`);
  return Number(text);
}

async function startDetachedServer(
  directory: string,
  args: Readonly<Record<string, unknown>>,
  port: number | undefined,
): Promise<void> {
  const log = join(directory, "logs", "server.log");
  const portFlag = port === undefined ? [] : ["--port", String(port)];
  const door = await startInBackground({
    name: "server",
    words: ["server", "start", "--server-dir", directory, ...portFlag],
    variables: credentials(processEnvironment()),
    log,
    status: nextCommand(["server", "status"], [], args),
    look: () => runningDoor(directory),
  });
  await printData(
    { pid: door.pid, url: shownUrl(door), log },
    formatOf(args),
    (made) => `the server is running at ${made.url} (process ${made.pid})`,
  );
}

/** The variables with credentials that a server reads, for one that starts in the background. */
function credentials(environment: Environment): Record<string, string> {
  const names = [...STORAGE_VARIABLES, ...Object.values(DNS_PROVIDERS)];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export const serverHealth = defineCommand({
  meta: { name: "health", description: "Check the health of the server; fails if it is degraded" },
  args: {
    ...serverDirArg,
    server: { type: "string", valueHint: "url", description: "Address of a remote server" },
  },
  async run({ args }) {
    const place = args.server === undefined ? await doorOf(args) : { url: serverUrl(args.server) };
    let why: string | undefined;
    const health = await askHealth(place.url).catch((error: unknown) => {
      why = knownProblem(error);
      return SILENT;
    });
    const found = { url: shownUrl(place), ...health };
    await printData(found, formatOf(args), healthText);
    // A node on standby is as it should be, for whoever asks about this node, and cannot help those who ask for the server.
    if (found.status === "ok" || (found.status === STANDBY && args.server === undefined)) return;
    const text = healthText(found);
    throw new AppError("unavailable", why === undefined ? text : `${text}: ${why}`);
  },
});

export const serverStop = defineCommand({
  meta: { name: "stop", description: "Stop the server after it has finished open requests" },
  args: serverDirArg,
  async run({ args }) {
    const directory = serverDirectory(args["server-dir"], processEnvironment());
    const state = await doorState(directory);
    if (state.kind === "none" || (state.kind === "stale" && !(await isStopping(directory, state.door))))
      throw new AppError("conflict", `${directory}: the server is not running`);
    const { door } = state;
    // A second request would abort a server that is already stopping.
    if (isAlive(state)) requestStop(door.pid, runFolder(directory));
    const ended = await waitFor(STOP_WAIT_MS, () => (isRunning(door.pid) ? undefined : true));
    if (!ended)
      throw new AppError(
        "unavailable",
        state.kind === "starting"
          ? `the server (process ${door.pid}) is still starting, and stops as soon as it has started; see its log`
          : `process ${door.pid} has not exited yet; see its log`,
      );
    forgetStop(door.pid, runFolder(directory));
    await printData({ pid: door.pid, stopped: true }, formatOf(args), () => "stopped the server");
  },
});

export const serverLogs = defineCommand({
  meta: { name: "logs", description: "Print the end of the log of a server started with --detach" },
  args: {
    ...serverDirArg,
    lines: { type: "string", valueHint: "count", description: "Number of lines (default: 100)" },
  },
  async run({ args }) {
    const path = join(serverDirectory(args["server-dir"], processEnvironment()), "logs", "server.log");
    if (!existsSync(path))
      throw new AppError("not_found", `${path}: no log; only a server started with --detach writes one`);
    const count = args.lines === undefined ? 100 : wholeNumber("--lines", args.lines, { min: 1 });
    const text = await Bun.file(path).text();
    await printText(text.trimEnd().split("\n").slice(-count).join("\n"));
  },
});

/** Reports whether the server no longer accepts requests but still holds its data, or ended during this check. */
async function isStopping(directory: string, door: Door): Promise<boolean> {
  if (!isRunning(door.pid)) return false;
  const { isInUse } = await import("../../context/main.ts");
  if (isInUse(directory)) return true;
  // It lets go of its data shortly before it exits. If it does not exit, its number belongs to another process by now.
  return (await waitFor(EXIT_WAIT_MS, () => (isRunning(door.pid) ? undefined : true))) === true;
}

type Given = Readonly<Record<string, unknown>> & { readonly "server-dir"?: string | undefined };

async function doorOf(args: Given): Promise<Door> {
  const state = await doorState(serverDirectory(args["server-dir"], processEnvironment()));
  if (state.kind === "running") return state.door;
  throw new AppError("unavailable", isAlive(state) ? aliveText(state) : notRunning(args));
}

function healthText({ url, status, problems }: ServerHealth & { url: string }): string {
  const why = problems.length === 0 ? "" : ` (${problems.map(problemText).join(", ")})`;
  return `${url}: ${status}${why}`;
}
