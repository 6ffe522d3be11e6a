// Results and runs of gears in their several shapes: as the sandbox says them, as they are stored, as the API shows them.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { SandboxResult } from "../sandbox/sandbox.ts";
import type { RunDetailRow, RunRow } from "./run-store.ts";
import type { GearResult, GearRun, GearRunDetail } from "./schema.ts";

/** What a result adds to the row of its run. */
type Said = Pick<RunDetailRow, "exit_code" | "stdout" | "stderr" | "timed_out" | "truncated" | "duration_ms">;

const NOTHING_SAID: Said = {
  exit_code: null,
  stdout: null,
  stderr: null,
  timed_out: null,
  truncated: null,
  duration_ms: null,
};

/** As stored; nothing for a run that never gave a result. */
export function saidOf(result: SandboxResult | null): Said {
  if (!result) return NOTHING_SAID;
  const { exitCode, stdout, stderr, timedOut, truncated, durationMs } = result;
  return {
    exit_code: exitCode,
    stdout,
    stderr,
    timed_out: timedOut ? 1 : 0,
    truncated: truncated ? 1 : 0,
    duration_ms: Math.round(durationMs),
  };
}

/** The result as answers carry it. */
export function resultFields(result: SandboxResult): Omit<GearResult, "isolated" | "notice"> {
  return {
    exit_code: result.exitCode,
    stderr: result.stderr,
    stdout: result.stdout,
    timed_out: result.timedOut,
    duration_ms: Math.round(result.durationMs),
    truncated: result.truncated,
  };
}

/** As lists show a run. */
export function toRun(row: RunRow): GearRun {
  return {
    ...row,
    isolated: row.isolated === 1,
    timed_out: flag(row.timed_out),
    truncated: flag(row.truncated),
    started_at: rfc3339(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
  };
}

/** With arguments and output. */
export function toDetail(row: RunDetailRow): GearRunDetail {
  const args = JSON.parse(row.args) as Record<string, unknown>;
  return { ...row, ...toRun(row), args, files: JSON.parse(row.files) as string[] };
}

function flag(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}
