// Converts results and runs of gears between the sandbox, the database and the API.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { SandboxResult } from "../sandbox/sandbox.ts";
import type { RunDetailRow, RunRow } from "./run-store.ts";
import type { GearResult, GearRun, GearRunDetail } from "./schema.ts";

/** The columns that a result sets in the row of its run. */
type Said = Pick<RunDetailRow, "exit_code" | "stdout" | "stderr" | "timed_out" | "truncated" | "duration_ms">;

const NOTHING_SAID: Said = {
  exit_code: null,
  stdout: null,
  stderr: null,
  timed_out: null,
  truncated: null,
  duration_ms: null,
};

/** Converts a result for storage; null for a run without a result. */
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

/** Converts a result for the API. */
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

/** Converts a run for lists. */
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

/** Converts a run with its arguments and output. */
export function toDetail(row: RunDetailRow): GearRunDetail {
  const args = JSON.parse(row.args) as Record<string, unknown>;
  return { ...row, ...toRun(row), args, files: JSON.parse(row.files) as string[] };
}

function flag(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}
