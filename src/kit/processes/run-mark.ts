// Kills descendants that left their process group (`setsid`, a double fork). Finds them by a variable that children inherit. Linux only: other
// systems hide a process's environment. A program that clears its children's environment escapes.

import { readdirSync, readFileSync } from "node:fs";
import { Stretch, turnOfOthers } from "../clock.ts";
import { randomHex } from "../random.ts";

const VARIABLE = "CAIRN_RUN_MARK";
const MARK_BITS = 96;
/** A process killed during a fork leaves a child for the next pass. */
export const SWEEP_PASSES_MAX = 20;
const PROCESS = /^[1-9][0-9]*$/;

/** A search for the mark `of` also finds this one. */
export function newMark(of = ""): string {
  return of + randomHex(MARK_BITS);
}

export function markVariables(mark: string): Record<string, string> {
  return { [VARIABLE]: mark };
}

/** Kills every process whose mark begins with this one, and the processes that they start meanwhile. */
export async function killMarked(mark: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (let pass = 0; pass < SWEEP_PASSES_MAX; pass++) {
    if (!(await sweep(Buffer.from(`${VARIABLE}=${mark}`)))) return;
    await turnOfOthers();
  }
}

/** Returns whether it killed any. */
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

/** Returns the initial environment; undefined for another user's process or one that has ended. */
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
    // It has ended in the meantime.
  }
}
