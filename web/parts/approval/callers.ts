// The agents that can call a gear once it is approved, as a sentence. Pure.

import type { ApprovalCallers } from "../../../src/service/approvals/schema.ts";
import { list } from "../../kit/format.ts";

export function callersText({ named, elsewhere }: ApprovalCallers): string {
  const callers = named.map(({ workspace, agent }) => `${agent ?? "all agents"} in ${workspace}`);
  if (elsewhere > 0) callers.push(`${elsewhere} more in other workspaces`);
  return callers.length === 0
    ? "No agent is bound to it yet."
    : `Once approved, it can be called by ${list(callers)}.`;
}
