// The folder of a run on this machine: only the gear's files, written for each run with explicit modes.
// The folder itself is private (0700); the subfolder that is mounted or run lies inside it.

import { closeSync, fchmodSync, openSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, systemCode, messageOf } from "../../kit/error.ts";
import { directoryProblem, isUnwritable } from "../../kit/disk/disk.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import type { Log } from "../../kit/log.ts";
import { pathProblem } from "../../kit/text/paths.ts";
import { clashOf, INPUTS_FOLDER } from "./gear-files.ts";
import type { SandboxFile, SandboxRequest } from "./sandbox.ts";

/** The container's user is unknown on this machine, so it reads as "other"; the mount is read-only. */
const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o444;
const PROGRAM_MODE = 0o555;
const REMOVAL_RETRIES = 3;

export interface RunFolder {
  /** The private folder. */
  readonly path: string;
  /** The gear's working directory, inside `path`. */
  readonly gear: string;
}

/** `mark`: becomes a part of its name. Raises `unavailable` where the service may not write. */
export async function makeRunFolder(parent: string, mark = ""): Promise<RunFolder> {
  const path = await mkdtemp(join(parent, `cairn-run-${mark}`)).catch((error: unknown) => {
    throw withoutRoom(error);
  });
  await chmod(path, PRIVATE_DIRECTORY_MODE);
  const gear = join(path, "gear");
  await makeDirectory(gear);
  return { path, gear };
}

/** It does not name the place, because every person who runs a gear reads it. Returns any other error unchanged. */
export function withoutRoom(error: unknown): unknown {
  if (!isUnwritable(error) && !["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return error;
  return new AppError(
    "unavailable",
    `gears cannot run: the service cannot write to the directory for their files: ${directoryProblem(error)}; ` +
      "start the service with a TMPDIR and a data directory that its user can write to",
  );
}

/** Runs before anything is started. Raises `invalid` for a path that leads outside, or a file that would replace another. */
export function refuseClashes({ files, inputs }: Pick<SandboxRequest, "files" | "inputs">): void {
  const own = files.map(({ path }) => path);
  const given = inputs.map(({ path }) => `${INPUTS_FOLDER}/${path}`);
  for (const path of [...own, ...given]) {
    const problem = pathProblem(path);
    if (problem) throw new AppError("invalid", `${path}: ${problem}`);
  }
  const clash = clashOf(own, given);
  if (clash === undefined) return;
  const reserved = `the folder ${INPUTS_FOLDER}/ is reserved for the inputs of a call; put the gear's own files elsewhere`;
  const problems = {
    twice: "another file of the gear already has that name",
    directory: "another file of the gear needs a directory of that name",
    inputs: reserved,
  };
  throw new AppError("invalid", `${clash.path}: ${problems[clash.kind]}`);
}

/** Call it after `refuseClashes`. Raises `invalid` for a file in place of another one's folder. */
export async function writeGearFiles(
  gear: string,
  { files, inputs }: Pick<SandboxRequest, "files" | "inputs">,
): Promise<void> {
  const made = new Set([gear]);
  for (const file of files) await writeFile(gear, file, made);
  for (const file of inputs) await writeFile(gear, { ...file, path: `${INPUTS_FOLDER}/${file.path}` }, made);
}

async function writeFile(
  root: string,
  { path, content, executable }: SandboxFile,
  made: Set<string>,
): Promise<void> {
  const target = join(root, path);
  try {
    await makeDirectories(dirname(target), made);
    if (executable) writeProgram(target, content);
    else await writeData(target, content);
  } catch (error) {
    const clash = ["EEXIST", "ENOTDIR", "EISDIR"].includes(systemCode(error) ?? "");
    throw clash ? new AppError("invalid", `${path}: another file of the gear has that name already`) : error;
  }
}

/** The mode is set again, because the umask limits the first one. */
async function writeData(target: string, content: Uint8Array): Promise<void> {
  const handle = await open(target, "wx", FILE_MODE);
  try {
    await handle.writeFile(content);
    await handle.chmod(FILE_MODE);
  } finally {
    await handle.close();
  }
}

/**
 * In one go: a child that starts while the file is open for writing has it open too until it executes, and the kernel runs no file that is open for
 * writing (ETXTBSY). A gear's own files have a few megabytes at most.
 */
function writeProgram(target: string, content: Uint8Array): void {
  const descriptor = openSync(target, "wx", FILE_MODE);
  try {
    writeFileSync(descriptor, content);
    fchmodSync(descriptor, PROGRAM_MODE);
  } finally {
    closeSync(descriptor);
  }
}

async function makeDirectories(directory: string, made: Set<string>): Promise<void> {
  if (made.has(directory)) return;
  await makeDirectories(dirname(directory), made);
  await makeDirectory(directory);
  made.add(directory);
}

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path);
  await chmod(path, DIRECTORY_MODE);
}

/** Removes a folder and everything a gear left in it, including unreadable folders. */
export async function removeFolder(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: REMOVAL_RETRIES });
  try {
    await remove();
  } catch {
    await openDirectories(path);
    await remove();
  }
}

/** Logs why it cannot remove the folder. */
export function removeRunFolder({ path }: RunFolder, log: Log): Promise<void> {
  return removeFolder(path).catch((error: unknown) =>
    log.warn("cannot remove the folder of a gear", { folder: path, error: messageOf(error) }),
  );
}

async function openDirectories(directory: string): Promise<void> {
  await chmod(directory, PRIVATE_DIRECTORY_MODE);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await openDirectories(join(directory, entry.name));
  }
}
