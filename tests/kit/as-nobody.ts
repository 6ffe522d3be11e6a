// The compiled programs as someone whom the modes of files bind, which they never do root.

import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "bun:test";
import { binaryPath, outcomeOf } from "./binaries.ts";

const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;
const canChange = !isRoot || Bun.which("setpriv") !== null;

/** A test that needs somebody whom modes bind. */
export const bound = test.skipIf(process.platform === "win32" || !canChange);

interface AsNobody {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input?: string;
  /** `cairn` unless given. */
  readonly program?: "cairn" | "service";
}

/** The whole command, for a program on a terminal. */
export function commandAsNobody(
  args: readonly string[],
  program: NonNullable<AsNobody["program"]> = "cairn",
): string[] {
  const who = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  return [...(isRoot ? ["setpriv", ...who] : []), binaryPath(program), ...args];
}

export async function asNobody(
  args: readonly string[],
  { cwd, environment, input, program = "cairn" }: AsNobody = {},
) {
  const child = Bun.spawn(commandAsNobody(args, program), {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...environment },
    stdio: [input === undefined ? "ignore" : new Blob([input]), "pipe", "pipe"],
  });
  return outcomeOf([program, ...args].join(" "), child);
}

/** Gives a folder, and all that is in it, to whom `asNobody` runs as. */
export function giveToNobody(folder: string): void {
  if (!isRoot) return;
  chownSync(folder, NOBODY, NOBODY);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), NOBODY, NOBODY);
}
