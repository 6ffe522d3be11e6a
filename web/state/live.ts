// Live state of a running turn: which agents think, work or wait, and which lines carry work. Pure.

import { objectOf } from "../kit/json.ts";
import type { WorkspaceState } from "./workspace-state.ts";

export type Activity = "idle" | "thinking" | "working" | "waiting";

export interface Live {
  /** Absent agents are idle. */
  readonly activity: ReadonlyMap<number, Activity>;
  readonly wires: ReadonlySet<number>;
  readonly gearBindings: ReadonlySet<number>;
  readonly grants: ReadonlySet<number>;
}

type Needed = Pick<WorkspaceState, "runs" | "tools" | "agents" | "wires" | "gearBindings" | "grants">;

const RANK: Readonly<Record<Activity, number>> = { idle: 0, thinking: 1, working: 2, waiting: 3 };

export function liveOf(state: Needed): Live {
  return { activity: activities(state), ...paths(state) };
}

/** An agent may have several runs at once; the most urgent state wins. */
function activities({ runs }: Needed): ReadonlyMap<number, Activity> {
  const found = new Map<number, Activity>();
  for (const { agentId, state } of runs.values()) {
    const now = state === "thinking" || state === "waiting" ? state : "working";
    const ended = state === "done" || state === "failed" || state === "cancelled" || state === "interrupted";
    const before = found.get(agentId) ?? "idle";
    if (!ended && RANK[now] > RANK[before]) found.set(agentId, now);
  }
  return found;
}

function paths({ runs, tools, agents, wires, gearBindings, grants }: Needed): Omit<Live, "activity"> {
  const byName = new Map(agents.map(({ id, name }) => [nameKey(name), id]));
  const live = { wires: new Set<number>(), gearBindings: new Set<number>(), grants: new Set<number>() };
  for (const { agentId, runId, tool, outcome, arguments: written } of tools.values()) {
    if (outcome !== undefined || !runs.has(runId)) continue;
    if (tool === "delegate") {
      const to = byName.get(nameKey(agentIn(written)));
      const wire = wires.find((one) => one.from_agent_id === agentId && one.to_agent_id === to);
      if (wire) live.wires.add(wire.id);
    } else if (tool === "web_search") {
      const grant = grants.find((one) => one.agent_id === agentId);
      if (grant) live.grants.add(grant.id);
    } else {
      const binding = gearBindings.find(
        (one) => one.gear_name === tool && (one.agent_id === agentId || one.agent_id === null),
      );
      if (binding) live.gearBindings.add(binding.id);
    }
  }
  return live;
}

/** Arguments as models write them; malformed ones match no agent. */
function agentIn(written: string): string {
  const agent = objectOf(written)?.["agent"];
  return typeof agent === "string" ? agent : "";
}

/** Compares names like the server. */
function nameKey(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .trim()
    .toLowerCase();
}
