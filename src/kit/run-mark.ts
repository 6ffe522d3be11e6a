// Finds what a program started and left its process group (`setsid`, a double fork), by a variable that children inherit, and kills it. On
// Linux only: other systems do not show a process's variables to others. A program that clears the environment of its children loses them.

import { readdirSync, readFileSync } from "node:fs";
import { Stretch, turnOfOthers } from "./clock.ts";
import { randomHex } from "./random.ts";

const VARIABLE = "CAIRN_RUN_MARK";
const MARK_BITS = 96;
/** One that is killed while it forks leaves a child for the next pass. */
export const SWEEP_PASSES_MAX = 20;
const PROCESS = /^[1-9][0-9]*$/;

/** `of`: a mark that this one is found under as well. */
export function newMark(of = ""): string {
  return of + randomHex(MARK_BITS);
}

export function markVariables(mark: string): Record<string, string> {
  return { [VARIABLE]: mark };
}

/** Kills every process whose mark begins with this one, and what these start meanwhile. */
export async function killMarked(mark: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (let pass = 0; pass < SWEEP_PASSES_MAX; pass++) {
    if (!(await sweep(Buffer.from(`${VARIABLE}=${mark}`)))) return;
    await turnOfOthers();
  }
}

/** Returns whether there was one. */
async function sweep(assignment: Buffer): Promise<boolean> {
  const stretch = new Stretch();
  let found = false;
  for (const name of readdirSync("/proc")) {
    if (!PROCESS.test(name)) continue;
    if (variablesOf(name)?.includes(assignment)) {
      found = true;
      kill(Number(name));
    }
    if (stretch.isOver()) await turnOfOthers();
  }
  return found;
}

/** As the program was started with; undefined for one of another user, or that has ended. */
function variablesOf(pid: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
