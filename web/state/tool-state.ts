// The state of a tool call, from its stored result, its live events, or the end of its turn. Pure.

import type { Outcome } from "../../src/service/conversation/schema.ts";
import type { Bubble, Chip } from "./transcript-items.ts";
import type { WorkspaceState } from "./workspace-state.ts";

export type ChipState = "running" | "waiting" | Outcome;

export const chipWords: Readonly<Record<ChipState, string>> = {
  running: "running",
  waiting: "waiting for approval",
  ok: "done",
  error: "failed",
  cancelled: "stopped",
  interrupted: "interrupted",
  unknown: "outcome unknown",
};

export function chipState(chip: Chip, bubble: Bubble, state: WorkspaceState): ChipState {
  const outcome = chip.result?.outcome ?? state.tools.get(chip.key)?.outcome;
  if (outcome) return outcome;
  if (!bubble.turnOpen) return "interrupted";
  const waits = (run: number) => state.runs.get(run)?.state === "waiting";
  if (chip.tool === "web_search" ? waits(bubble.runId) : chip.runs.some(waits)) return "waiting";
  return "running";
}

/** In milliseconds; undefined while the call runs and when it is unknown. */
export function chipDuration(chip: Chip, state: WorkspaceState): number | undefined {
  return chip.result?.duration_ms ?? state.tools.get(chip.key)?.durationMs;
}
