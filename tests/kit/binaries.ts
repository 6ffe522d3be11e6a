// The two compiled programs, for tests that must see what a user gets rather than what the sources say.
// `npm test` builds them first; a test that is started by hand says so when they are missing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { nativeExtension, type ProgramName } from "../../release/targets.ts";
import { RUN_LIMIT_MS } from "./wait-limit.ts";
import { within } from "./within.ts";

export function binaryPath(name: ProgramName): string {
  const path = join(ROOT, "dist", `${name}${nativeExtension}`);
  if (!existsSync(path)) throw new Error(`dist/${name}${nativeExtension} is missing: run npm run build`);
  return path;
}

export interface Surroundings {
  cwd?: string;
  /** Added to the environment of the tests. */
  environment?: Record<string, string>;
}

export interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

type Piped = Bun.Subprocess<Bun.SpawnOptions.Writable, "pipe", "pipe">;

/** Resolves when the program has ended by itself. One that does not in time is killed, and the error says `command`. */
export async function outcomeOf(command: string, child: Piped, limitMs = RUN_LIMIT_MS): Promise<Outcome> {
  const outcome = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  try {
    const [stdout, stderr, exitCode] = await within(`${command} ends`, outcome, limitMs);
    return { exitCode, stdout, stderr };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** Runs a program that ends by itself. */
export async function runBinary(
  name: ProgramName,
  args: string[],
  surroundings: Surroundings = {},
): Promise<Outcome> {
  const child = Bun.spawn([binaryPath(name), ...args], {
    cwd: surroundings.cwd ?? ROOT,
    env: { ...process.env, ...surroundings.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return outcomeOf([name, ...args].join(" "), child);
}
