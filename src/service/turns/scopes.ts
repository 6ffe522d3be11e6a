// Determines what an agent has at a point of a turn: its record, its tools, and the agents that it may delegate to.

import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Agent } from "../blueprint/schema.ts";
import { actingAs, type Caller } from "../identity/caller.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolScope } from "../tools/tool.ts";
import type { TurnContext } from "./turn-context.ts";
import type { Recorder, Run } from "./recorder.ts";
import { DELEGATION_DEPTH_MAX } from "./schema.ts";

interface Place {
  readonly turnId: number;
  readonly runId: number;
  readonly depth: number;
  readonly tainted: boolean;
  /** The agent and its callers. */
  readonly above: readonly number[];
}

export class Scopes {
  readonly #blueprint: Blueprint;
  readonly #registry: ToolRegistry;
  readonly #recorder: Pick<Recorder, "isTainted">;

  constructor(blueprint: Blueprint, registry: ToolRegistry, recorder: Pick<Recorder, "isTainted">) {
    this.#blueprint = blueprint;
    this.#registry = registry;
    this.#recorder = recorder;
  }

  /** Returns the current agent. One that is removed during its run continues unchanged. */
  agentOf(run: Run): Agent {
    return this.#blueprint.agentWithRemoved(run.row.agent_id);
  }

  tools(scope: ToolScope): Tool[] {
    return this.#registry.toolsFor(scope);
  }

  of(context: TurnContext, run: Run, agent: Agent): ToolScope {
    const { turn_id: turnId, id: runId, depth } = run.row;
    const tainted = this.#recorder.isTainted(run.row);
    return this.#scope(context, agent, { turnId, runId, depth, tainted, above: run.agentIds });
  }

  /** The scope if a turn began now, for a worker if the orchestrator delegated to it. `tainted` is that of its thread. */
  preview(caller: Caller, agent: Agent, { tainted }: Pick<ToolScope, "tainted">): ToolScope {
    const above = agent.orchestrator
      ? [agent.id]
      : [agent.id, this.#blueprint.orchestratorOf(agent.workspace_id).id];
    return this.#scope({ caller, wires: new Set() }, agent, {
      turnId: 0,
      runId: 0,
      tainted,
      depth: above.length - 1,
      above,
    });
  }

  #scope(context: Pick<TurnContext, "caller" | "wires">, agent: Agent, at: Place): ToolScope {
    return {
      workspaceId: agent.workspace_id,
      turnId: at.turnId,
      runId: at.runId,
      agentId: agent.id,
      agentName: agent.name,
      orchestrator: agent.orchestrator,
      caller: actingAs(context.caller, agent.name, at.turnId),
      targets: at.depth >= DELEGATION_DEPTH_MAX ? [] : this.#targets(context.wires, agent, at.above),
      tainted: at.tainted,
    };
  }

  /** Returns the agents along the turn's wires, except those in the chain of callers, which would be a cycle. */
  #targets(wires: Set<string>, agent: Agent, above: readonly number[]): { id: number; name: string }[] {
    for (const wire of this.#blueprint.wiresOf(agent.workspace_id))
      wires.add(`${wire.from_agent_id}>${wire.to_agent_id}`);
    return this.#blueprint
      .agentsOf(agent.workspace_id)
      .filter((other) => wires.has(`${agent.id}>${other.id}`) && !above.includes(other.id))
      .map(({ id, name }) => ({ id, name }));
  }
}
