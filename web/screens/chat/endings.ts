// The end of a turn as screen readers hear it: the answer, or why there is none. Pure.

import type { Turn } from "../../../src/service/turns/schema.ts";
import { isOpen, nameOf, type WorkspaceState } from "../../state/workspace-state.ts";
import { spoken } from "./spoken.ts";

/**
 * Returns the last turn that ended between the two lists. One that failed at once was never seen open; those of earlier pages, which load above,
 * ended before.
 */
export function newlyEnded(before: readonly Turn[], now: readonly Turn[]): Turn | undefined {
  const statuses = new Map(before.map(({ id, status }) => [id, status]));
  const newest = before.at(-1)?.id ?? 0;
  return now.findLast(
    ({ id, status, started_at: started }) =>
      started !== null && !isOpen(status) && statuses.get(id) !== status && (statuses.has(id) || id > newest),
  );
}

export function endingOf(
  { entries, agentNames }: Pick<WorkspaceState, "entries" | "agentNames">,
  turn: Turn,
): string {
  if (turn.status === "failed") return `The turn failed: ${turn.error ?? "no reason was recorded"}`;
  if (turn.status === "cancelled") return turn.error === null ? "Stopped" : `Stopped: ${turn.error}`;
  if (turn.status === "interrupted") return "Interrupted: the service stopped during this turn";
  const answer = entries.findLast(
    ({ turn_id: of, thread, kind }) => of === turn.id && thread === 0 && kind === "agent",
  );
  return answer === undefined
    ? ""
    : `${nameOf({ agentNames }, answer.agent_id)} answered: ${spoken(answer.text)}`;
}
