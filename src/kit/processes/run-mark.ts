// Kills descendants that left their process group (`setsid`, a double fork). Finds them by what children inherit: a variable, and the working
// directory, whose path contains the mark if the caller names it so. Linux only: other systems hide both. A program that clears its children's
// environment and moves them to another directory escapes.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
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

/** Kills every process whose mark begins with this one, or whose working directory has it in its path, and the processes that they start meanwhile. */
export async function killMarked(mark: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (let pass = 0; pass < SWEEP_PASSES_MAX; pass++) {
    if (!(await sweep(mark))) return;
    await turnOfOthers();
  }
}

/** Returns whether it killed any. */
async function sweep(mark: string): Promise<boolean> {
  const assignment = Buffer.from(`${VARIABLE}=${mark}`);
  const stretch = new Stretch();
  let found = false;
  for (const name of readdirSync("/proc")) {
    if (!PROCESS.test(name)) continue;
    if (variablesOf(name)?.includes(assignment) || directoryOf(name)?.includes(mark)) {
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

/** As `variablesOf`. A directory that was removed keeps its path here. */
function directoryOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
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
