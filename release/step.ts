// Shared by every script in this folder: the root of the repository, announcing and timing a step, starting a child.
// Only built-ins are imported: these scripts run before anything is installed.

import { dirname } from "node:path";

export const ROOT = dirname(import.meta.dir);

const BYTES_PER_MB = 1_000_000;

export const inCi = process.env.CI === "true" || process.env.CI === "1";

export interface Manifest {
  name: string;
  version: string;
  packageManager: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

export function readManifest(): Promise<Manifest> {
  return Bun.file(`${ROOT}/package.json`).json() as Promise<Manifest>;
}

/** Ends the script with one line that says what is wrong; a stack would only hide it. */
export function fail(message: string): never {
  console.error(`Error: ${message}`);
  process.exit(1);
}

export function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / BYTES_PER_MB).toFixed(1)} MB`;
}

interface Finished {
  exitCode: number;
  output: string;
}

/** Runs a command with its output on our own, and gives back the exit code. */
export async function stream(command: string[], environment: Record<string, string> = {}): Promise<number> {
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return child.exited;
}

/** Runs a command in silence and gives back what it said, both streams, for when it matters. */
export async function capture(
  command: string[],
  environment: Record<string, string> = {},
): Promise<Finished> {
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { exitCode, output: `${stdout}${stderr}` };
}

/** The Bun that runs this script, never one that happens to be on PATH: the pinned version is part of the build. */
export function bun(...args: string[]): string[] {
  return [process.execPath, ...args];
}
