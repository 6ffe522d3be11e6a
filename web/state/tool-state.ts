// The state of a tool call, from its stored result, its live events, or the end of its turn. Pure.

import type { Outcome } from "../../src/service/conversation/schema.ts";
import type { DecisionRecord } from "../../src/service/approvals/schema.ts";
import type { TurnToolStep } from "../../src/service/turns/schema.ts";
import { objectOf } from "../kit/json.ts";
import type { Bubble, Chip, Refusal } from "./transcript-items.ts";
import type { WorkspaceState } from "./workspace-state.ts";

export type ChipState = "running" | "waiting" | Refusal | Outcome;

export const chipWords: Readonly<Record<ChipState, string>> = {
  running: "running",
  waiting: "waiting for approval",
  ok: "done",
  error: "failed",
  rejected: "rejected",
  expired: "expired",
  cancelled: "stopped",
  interrupted: "interrupted",
  unknown: "outcome unknown",
};

export function chipState(chip: Chip, bubble: Bubble, state: WorkspaceState): ChipState {
  const outcome = chip.result?.outcome ?? state.tools.get(chip.key)?.outcome;
  if (outcome) return outcome === "error" ? (chip.refusal ?? outcome) : outcome;
  if (!bubble.turnOpen) return "interrupted";
  const waits = (run: number) => state.runs.get(run)?.state === "waiting";
  if (chip.tool === "web_search" ? waits(bubble.runId) : chip.runs.some(waits)) return "waiting";
  return "running";
}

/** Takes the decision on a search with these arguments out of the list. */
export function takeRefusal(argumentsText: string, decisions: DecisionRecord[]): Refusal | undefined {
  const query = objectOf(argumentsText)?.["query"];
  const at = decisions.findIndex(({ kind, subject }) => kind === "search" && subject === query);
  const [found] = at < 0 ? [] : decisions.splice(at, 1);
  if (found?.decision === "expired") return "expired";
  // Without a person, the turn or the permission ended first.
  return found?.decision === "refused" && found.by !== null ? "rejected" : undefined;
}

/** Whether a search that failed was rejected or expired: the decision that fell while the step ran. */
export function refusalOf(step: TurnToolStep, decisions: readonly DecisionRecord[]): Refusal | undefined {
  const { tool, outcome, arguments: written, started_at: from, finished_at: to } = step;
  if (tool !== "web_search" || outcome !== "error" || from === null || to === null) return undefined;
  const during = ({ requested_at: at }: DecisionRecord) => at !== null && at >= from && at <= to;
  return takeRefusal(written, decisions.filter(during));
}

/** In milliseconds; undefined while the call runs and when it is unknown. */
export function chipDuration(chip: Chip, state: WorkspaceState): number | undefined {
  return chip.result?.duration_ms ?? state.tools.get(chip.key)?.durationMs;
}
