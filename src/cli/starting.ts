// Starts a part of this program in the background and waits until it runs. A start may take long, such as on a slow disk or with a long backlog, so
// the wait ends with the process, not after seconds.

import { statSync } from "node:fs";
import { isRunning } from "../context/people/local-door.ts";
import { MINUTE_MS, SECOND_MS, systemClock, systemTimers, type Clock, type Timers } from "../kit/clock.ts";
import { pauseBy } from "../kit/concurrency/deadline.ts";
import { AppError } from "../kit/error.ts";
import { startDetached } from "../kit/processes/process.ts";
import { printHint } from "../kit/terminal/output.ts";
import { plural } from "../kit/text/amounts.ts";
import { visibleInLine } from "../kit/text/visible.ts";

const LOOK_EVERY_MS = 50;
const NOTE_AFTER_MS = 10 * SECOND_MS;
const NOTE_EVERY_MS = MINUTE_MS;
/** A process that hangs does not hold a script for ever. */
const START_WAIT_MS_MAX = 30 * MINUTE_MS;

interface Start<T> {
  /** "server", for sentences. */
  readonly name: string;
  readonly words: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly log: string;
  /** Says whether it runs. */
  readonly status: string;
  /** Returns something once it runs. */
  readonly look: () => Promise<T | undefined>;
}

/** Raises `refused` with the end of its log if it ends, and `unavailable` if it does not run after half an hour. */
export function startInBackground<T>(start: Start<T>): Promise<T> {
  const { words, log, variables } = start;
  const before = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  const pid = startDetached(words, log, variables);
  return untilItRuns({ ...start, pid, logged: before });
}

interface Started<T> extends Omit<Start<T>, "words" | "variables"> {
  readonly pid: number;
  /** Bytes of the log that are from before. */
  readonly logged: number;
}

interface Surroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly isRunning: (pid: number) => boolean;
  readonly note: (text: string) => Promise<void>;
}

const SYSTEM: Surroundings = { clock: systemClock, timers: systemTimers, isRunning, note: printHint };

/** Exported for tests. */
export async function untilItRuns<T>(started: Started<T>, at: Surroundings = SYSTEM): Promise<T> {
  const { name, pid, log, status, look } = started;
  const begun = at.clock.elapsed();
  for (let noteAt = NOTE_AFTER_MS; ;) {
    // Before the look: it may run, say so and end in between.
    const isAlive = at.isRunning(pid);
    const found = await look();
    if (found !== undefined) return found;
    if (!isAlive) throw await notStarted(started);
    const waited = at.clock.elapsed() - begun;
    if (waited >= START_WAIT_MS_MAX)
      throw new AppError(
        "unavailable",
        `the ${name} (process ${pid}) still does not run after ${timeText(waited)}; see its log, ${log}; ${status} says when it does`,
      );
    if (waited >= noteAt) {
      noteAt += NOTE_EVERY_MS;
      await at.note(
        `the ${name} (process ${pid}) is still starting after ${timeText(waited)}; see its log, ${log}`,
      );
    }
    await pauseBy(at.timers, LOOK_EVERY_MS);
  }
}

function timeText(ms: number): string {
  return ms < MINUTE_MS ? `${Math.floor(ms / SECOND_MS)} s` : plural(Math.floor(ms / MINUTE_MS), "minute");
}

/** Quotes the last line of the log, because that is where a program says why it ends. */
async function notStarted({ name, log, logged }: Started<unknown>): Promise<AppError> {
  const said = (await Bun.file(log).slice(logged).text()).trimEnd();
  const last = visibleInLine(said.split("\n").at(-1) ?? "");
  const end = last === "" ? "" : `, which ends with: ${last}`;
  return new AppError("refused", `the ${name} did not start; see its log, ${log}${end}`);
}
