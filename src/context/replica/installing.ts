// Installs and removes the service definition of a copy's daemon, and asks the system to start and stop it.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { accessProblem } from "../../kit/disk/disk.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { runProcess } from "../../kit/processes/process.ts";
import type { System, Unit } from "./units.ts";

const DEADLINE_MS = 20_000;
const OUTPUT_BYTES_MAX = 16 * 1024;
/** A byte order mark: the format declares UTF-16. */
const UTF16_MARK = "\ufeff";
/** How these programs reach the session of the person. */
const SESSION_VARIABLES = ["HOME", "USER", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME"];

export interface Manager {
  readonly system: System;
  readonly environment: Environment;
  readonly uid: number;
}

export interface Installed {
  readonly path: string;
  /** False: the definition is there, but the system could not start it; `problem` says why. */
  readonly started: boolean;
  readonly problem: string | null;
}

/** Writes the definition and starts the daemon now and at each sign-in. Raises `unavailable` if the file cannot be written. */
export async function installUnit(unit: Unit, manager: Manager): Promise<Installed> {
  try {
    mkdirSync(dirname(unit.path), { recursive: true });
    const isTask = manager.system === "win32";
    writeFileSync(unit.path, isTask ? UTF16_MARK + unit.text : unit.text, isTask ? "utf16le" : "utf8");
  } catch (error) {
    throw new AppError("unavailable", `cannot write ${unit.path}: ${accessProblem(error)}`);
  }
  const problem = await firstProblem(startCommands(unit, manager), manager);
  return { path: unit.path, started: problem === null, problem };
}

/** Stops the daemon and removes the definition. Raises `not_found` if there is none. */
export async function uninstallUnit(unit: Unit, manager: Manager): Promise<void> {
  if (!existsSync(unit.path))
    throw new AppError("not_found", `${unit.path}: not found; the daemon is not installed`);
  await firstProblem(stopForGoodCommands(unit, manager), manager);
  rmSync(unit.path, { force: true });
  if (manager.system === "linux") await firstProblem([["systemctl", "--user", "daemon-reload"]], manager);
}

export function isInstalled(unit: Unit): boolean {
  return existsSync(unit.path);
}

/** Returns the system's problem; null: it obeyed. */
export function startUnit(unit: Unit, manager: Manager): Promise<string | null> {
  const { system, uid } = manager;
  if (system === "linux") return firstProblem([["systemctl", "--user", "start", unit.name]], manager);
  if (system === "darwin")
    return firstProblem([["launchctl", "kickstart", `gui/${uid}/${unit.name}`]], manager);
  return firstProblem([["schtasks", "/Run", "/TN", unit.name]], manager);
}

function startCommands({ name, path }: Unit, { system, uid }: Manager): string[][] {
  if (system === "linux")
    return [
      ["systemctl", "--user", "daemon-reload"],
      ["systemctl", "--user", "enable", "--now", name],
    ];
  if (system === "darwin") return [["launchctl", "bootstrap", `gui/${uid}`, path]];
  return [
    ["schtasks", "/Create", "/TN", name, "/XML", path, "/F"],
    ["schtasks", "/Run", "/TN", name],
  ];
}

function stopForGoodCommands({ name }: Unit, { system, uid }: Manager): string[][] {
  if (system === "linux") return [["systemctl", "--user", "disable", "--now", name]];
  if (system === "darwin") return [["launchctl", "bootout", `gui/${uid}/${name}`]];
  return [
    ["schtasks", "/End", "/TN", name],
    ["schtasks", "/Delete", "/TN", name, "/F"],
  ];
}

async function firstProblem(commands: readonly string[][], { environment }: Manager): Promise<string | null> {
  const variables = Object.fromEntries(
    SESSION_VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  for (const command of commands) {
    const options = { environment, variables, deadlineMs: DEADLINE_MS, outputBytesMax: OUTPUT_BYTES_MAX };
    const { exitCode, stderr, stdout } = await runProcess(command, options);
    if (exitCode === 0) continue;
    const said = (stderr.trim() || stdout.trim()).split("\n")[0];
    return `${command.slice(0, 3).join(" ")}: ${said || `exit code ${exitCode}`}`;
  }
  return null;
}
