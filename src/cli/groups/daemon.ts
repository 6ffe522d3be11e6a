// `cairn daemon …`: keeps a folder in sync in the background.

import { defineCommand } from "citty";
import { resolve } from "node:path";
import type { DaemonStatus } from "../../context/replica/daemon-status.ts";
import type { Installed, Manager } from "../../context/replica/installing.ts";
import type { Origin } from "../../context/replica/state.ts";
import type { System, Unit } from "../../context/replica/units.ts";
import { systemClock } from "../../kit/clock.ts";
import { extraTrust, homeDirectory, processEnvironment, ownUser } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { createLog } from "../../kit/log.ts";
import { formatOf, printData, printHint } from "../../kit/terminal/output.ts";
import { ownCommand } from "../../kit/processes/process.ts";
import { forgetStop, requestStop, waitForStop } from "../../kit/processes/stop-request.ts";
import { inWordsOfFlags, localDirectory } from "../connection.ts";
import { connectAsUserOf, requireFolderToken, replicaArgs, tokenFileArg } from "../replica.ts";
import { nextCommand } from "../next-command.ts";
import { startInBackground } from "../starting.ts";
import { fields, plural, wholeNumber } from "../tables.ts";
import { waitFor } from "../wait-for.ts";

/** For a daemon that the system starts. */
const UNIT_WAIT_MS = 10_000;
const STOP_WAIT_MS = 15_000;
const LINES_DEFAULT = 100;
/** A daemon that a person starts gets these as well. */
const PASSED_ON = ["HOME", "USERPROFILE", "SERVICE_TOKEN", "SERVICE_TOKEN_SERVER"];

const runArgs = { ...replicaArgs, ...tokenFileArg } as const;
type RunFlags = { readonly dir?: string | undefined; readonly "token-file"?: string | undefined };

export const daemonRun = defineCommand({
  meta: { name: "run", description: "Sync in the foreground until stopped" },
  args: runArgs,
  async run({ args }) {
    const directory = localDirectory(args.dir);
    const { Daemon } = await import("../../context/replica/daemon.ts");
    const { lockDaemonSoon } = await import("../../context/replica/daemon-status.ts");
    const { daemonLogPath, daemonLogWriter } = await import("../../context/replica/daemon-log.ts");
    const { syncDirectory } = await import("../../context/replica/state.ts");
    const origin = await originOf(directory);
    using _lock = await lockDaemonSoon(directory, systemClock);
    const write = daemonLogWriter(daemonLogPath(directory));
    const log = createLog({ level: "info", format: "text", clock: systemClock, write });
    const connect = connectAsUserOf(origin, args["token-file"]);
    const inWords = (error: unknown) => inWordsOfFlags(error, origin.server, { user: origin.user });
    const daemon = new Daemon({ directory, connect, inWords, clock: systemClock, log, pid: process.pid });
    const stopped = waitForStop(syncDirectory(directory));
    const running = daemon.run();
    await Promise.race([stopped, running]);
    daemon.stop();
    await running;
    log.flush();
  },
});

export const daemonStart = defineCommand({
  meta: { name: "start", description: "Start the daemon in the background" },
  args: runArgs,
  async run({ args }) {
    const directory = localDirectory(args.dir);
    const origin = await originOf(directory);
    await requireStopped(directory);
    await requireFolderToken(origin, args["token-file"]);
    const { daemonLogPath } = await import("../../context/replica/daemon-log.ts");
    const { isInstalled, startUnit } = await import("../../context/replica/installing.ts");
    const unit = await unitOf(args);
    const problem = isInstalled(unit) ? await startUnit(unit, manager()) : "not installed";
    const look = () => statusOf(directory);
    const status =
      problem === null
        ? await runningUnit(directory, look)
        : await startInBackground({
            name: "daemon",
            words: runWords(args),
            variables: passedOn(),
            log: daemonLogPath(directory),
            status: nextCommand(["daemon", "status"], [], { dir: directory }),
            look,
          });
    await printData(status, formatOf(args), ({ pid }) => `the daemon is running (process ${pid})`);
  },
});

/** The system knows the process, and starts it again if it ends. */
async function runningUnit(
  directory: string,
  look: () => Promise<DaemonStatus | undefined>,
): Promise<DaemonStatus> {
  const status = await waitFor(UNIT_WAIT_MS, look);
  if (status) return status;
  const [logs, state] = ["logs", "status"].map((word) =>
    nextCommand(["daemon", word], [], { dir: directory }),
  );
  throw new AppError(
    "unavailable",
    `the system started the daemon, which is not running yet; see ${logs}; ${state} says when it does`,
  );
}

export const daemonStop = defineCommand({
  meta: { name: "stop", description: "Stop the daemon after the current cycle" },
  args: replicaArgs,
  async run({ args }) {
    const directory = localDirectory(args.dir);
    const { isDaemonRunning } = await import("../../context/replica/daemon-status.ts");
    const status = await statusOf(directory);
    if (!status) throw new AppError("conflict", `${directory}: the daemon is not running`);
    const { syncDirectory } = await import("../../context/replica/state.ts");
    requestStop(status.pid, syncDirectory(directory));
    const ended = await waitFor(STOP_WAIT_MS, () => (isDaemonRunning(directory) ? undefined : true));
    if (!ended) throw new AppError("unavailable", `process ${status.pid} has not exited yet; see its log`);
    forgetStop(status.pid, syncDirectory(directory));
    await printData({ pid: status.pid, stopped: true }, formatOf(args), () => "stopped the daemon");
  },
});

/** Programs get the same fields from a stopped daemon as from a running one. */
const STOPPED: { readonly [Field in keyof DaemonStatus]: DaemonStatus[Field] | null } = {
  pid: null,
  started_at: null,
  connected: false,
  synced_at: null,
  failures: 0,
  problem: null,
  next_try_at: null,
};

export const daemonStatus = defineCommand({
  meta: { name: "status", description: "Show whether the daemon is running, and its last result" },
  args: replicaArgs,
  async run({ args }) {
    const directory = localDirectory(args.dir);
    await originOf(directory);
    const { isInstalled } = await import("../../context/replica/installing.ts");
    const status = await statusOf(directory);
    const installed = isInstalled(await unitOf(args));
    const { openReplicaState } = await import("../../context/replica/state.ts");
    using state = await openReplicaState(directory);
    const held = state.held().map(({ path, direction, reason }) => ({ path, direction, reason }));
    const running = status !== undefined;
    await printData(
      { directory, running, installed, ...(status ?? STOPPED), held },
      formatOf(args),
      ({ problem }) => {
        const known = running ? { ...status, problem: problem?.message ?? null } : {};
        return fields({ directory, running, installed, ...known, held: held.length });
      },
    );
    if (held.length > 0 && formatOf(args) === "text")
      await printHint(
        `${plural(held.length, "change was refused and waits", "changes were refused and wait")}; see ${nextCommand(["status"], [], args)}`,
      );
    if (!status)
      throw new AppError(
        "conflict",
        `the daemon is not running; start it with ${nextCommand(["daemon", "start"], [], args)}`,
      );
  },
});

export const daemonLogs = defineCommand({
  meta: { name: "logs", description: "Print the end of the daemon's log" },
  args: {
    ...replicaArgs,
    lines: {
      type: "string",
      valueHint: "count",
      description: `Number of lines (default: ${LINES_DEFAULT})`,
    },
  },
  async run({ args }) {
    const { daemonLogPath, lastLines } = await import("../../context/replica/daemon-log.ts");
    const path = daemonLogPath(localDirectory(args.dir));
    const count = args.lines === undefined ? LINES_DEFAULT : wholeNumber("--lines", args.lines, { min: 1 });
    const lines = lastLines(path, count);
    if (!lines) throw new AppError("not_found", `${path}: no log; the daemon has not run here`);
    await printData({ path, lines }, formatOf(args), () => lines.join("\n"));
  },
});

export const daemonUnit = defineCommand({
  meta: { name: "unit", description: "Print the service definition that install writes" },
  args: runArgs,
  async run({ args }) {
    await printData(await unitOf(args), formatOf(args), ({ text }) => text.trimEnd());
  },
});

export const daemonInstall = defineCommand({
  meta: { name: "install", description: "Start the daemon now and at each sign-in" },
  args: runArgs,
  async run({ args }) {
    const installed = await installDaemon(args);
    await printData(installed, formatOf(args), ({ path, started }) =>
      started ? `installed ${path}; the daemon is running` : `installed ${path}`,
    );
    if (!installed.started)
      throw new AppError(
        "refused",
        `the system did not start the daemon (${installed.problem}); it starts at the next sign-in, or now with ${nextCommand(["daemon", "start"], [], args)}`,
      );
  },
});

/** Raises `refused` for a folder that does not sync, and `unauthenticated` for one whose user has no token here. */
export async function installDaemon(flags: RunFlags): Promise<Installed> {
  await requireFolderToken(await originOf(localDirectory(flags.dir)), flags["token-file"]);
  const { installUnit } = await import("../../context/replica/installing.ts");
  return installUnit(await unitOf(flags), manager());
}

export const daemonUninstall = defineCommand({
  meta: { name: "uninstall", description: "Stop the daemon and remove its service definition" },
  args: replicaArgs,
  async run({ args }) {
    const { uninstallUnit } = await import("../../context/replica/installing.ts");
    const unit = await unitOf(args);
    await uninstallUnit(unit, manager());
    await printData({ path: unit.path, removed: true }, formatOf(args), ({ path }) => `removed ${path}`);
  },
});

/** Raises `refused` for a folder that does not sync. */
async function originOf(directory: string): Promise<Origin> {
  const { requireOrigin } = await import("../../context/replica/state.ts");
  return requireOrigin(directory);
}

async function statusOf(directory: string): Promise<DaemonStatus | undefined> {
  return (await import("../../context/replica/daemon-status.ts")).daemonStatus(directory);
}

async function requireStopped(directory: string): Promise<void> {
  const status = await statusOf(directory);
  if (status) throw new AppError("conflict", `the daemon is already running (process ${status.pid})`);
}

/** Absolute paths: a service has another working directory. */
function runWords(flags: RunFlags): string[] {
  const file = flags["token-file"];
  const token = file === undefined ? [] : ["--token-file", resolve(file)];
  return ["daemon", "run", "--dir", localDirectory(flags.dir), ...token];
}

async function unitOf(flags: RunFlags): Promise<Unit> {
  const { unitFor } = await import("../../context/replica/units.ts");
  return unitFor(systemOf(), {
    command: [...ownCommand(), ...runWords(flags)],
    directory: localDirectory(flags.dir),
    home: homeDirectory(processEnvironment()),
    variables: extraTrust(processEnvironment()),
  });
}

function systemOf(): System {
  const { platform } = process;
  return platform === "darwin" || platform === "win32" ? platform : "linux";
}

function manager(): Manager {
  return { system: systemOf(), environment: processEnvironment(), uid: ownUser() ?? 0 };
}

function passedOn(): Record<string, string> {
  const environment = processEnvironment();
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
}
