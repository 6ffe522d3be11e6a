// The orchestrator's tools for agents and wires, with the same rules as the routes.

import { Type } from "@sinclair/typebox";
import { AppError, fieldError } from "../../kit/error.ts";
import { nameKey } from "../../kit/text/names.ts";
import { closed } from "../../kit/schema.ts";
import type { Models } from "../catalog/models.ts";
import type { Model } from "../catalog/schema.ts";
import { databaseTool, ok, type DatabaseTool, type ToolSource } from "../tools/tool.ts";
import type { Blueprint } from "./blueprint.ts";

/** Most models named in the refusal of a name that fits several. */
const CANDIDATES_MAX = 20;

const AgentName = Type.String({ description: "Name of an agent of this workspace" });

const CreateInput = closed({
  name: Type.String({ description: "Short name, for example: researcher" }),
  role: Type.String({
    description: "The new agent's system prompt: what it is good at, how it works, how its answers look",
  }),
  model: Type.String({ description: "Label of a model, as model_list shows it" }),
});
const UpdateInput = closed({
  agent: AgentName,
  name: Type.Optional(Type.String({ description: "New name" })),
  role: Type.Optional(Type.String({ description: "New system prompt" })),
  model: Type.Optional(Type.String({ description: "Label of a model, as model_list shows it" })),
});
const AgentInput = closed({ agent: AgentName });
const WireInput = closed({ from: AgentName, to: AgentName });
const NoInput = closed({});

export function blueprintTools(blueprint: Blueprint, models: Models): ToolSource {
  const tools = [
    createTool(blueprint, models),
    updateTool(blueprint, models),
    removeTool(blueprint),
    listTool(blueprint, models),
    modelListTool(models),
    wireCreateTool(blueprint),
    wireRemoveTool(blueprint),
  ];
  return (scope) => (scope.orchestrator ? tools : []);
}

function createTool(blueprint: Blueprint, models: Models): DatabaseTool {
  return databaseTool({
    name: "agent_create",
    durable: true,
    description: "Creates a worker agent and wires you to it, so that you can delegate to it at once.",
    parameters: CreateInput,
    apply: (scope, input) => {
      const agent = blueprint.createAgentIn(scope.caller, scope.workspaceId, {
        name: input.name,
        role: input.role,
        model_id: findModel(models, input.model),
      });
      blueprint.createWireIn(scope.caller, scope.workspaceId, {
        from_agent_id: scope.agentId,
        to_agent_id: agent.id,
      });
      return ok(`Created agent "${agent.name}" and wired you to it. You can delegate to it now.`);
    },
  });
}

function updateTool(blueprint: Blueprint, models: Models): DatabaseTool {
  return databaseTool({
    name: "agent_update",
    durable: true,
    description: "Changes an agent's name, role or model. What you leave out stays as it is.",
    parameters: UpdateInput,
    apply: (scope, input) => {
      const agent = blueprint.agentNamed(scope.workspaceId, input.agent);
      const updated = blueprint.updateAgentIn(scope.caller, agent.id, {
        ...(input.name === undefined ? {} : { name: input.name }),
        ...(input.role === undefined ? {} : { role: input.role }),
        ...(input.model === undefined ? {} : { model_id: findModel(models, input.model) }),
      });
      return ok(`Updated agent "${updated.name}".`);
    },
  });
}

function removeTool(blueprint: Blueprint): DatabaseTool {
  return databaseTool({
    name: "agent_remove",
    durable: true,
    description: "Removes a worker agent and its wires. What it did stays in the conversation.",
    parameters: AgentInput,
    apply: (scope, input) => {
      const agent = blueprint.agentNamed(scope.workspaceId, input.agent);
      blueprint.removeAgentIn(scope.caller, agent.id);
      return ok(`Removed agent "${agent.name}".`);
    },
  });
}

function listTool(blueprint: Blueprint, models: Models): DatabaseTool {
  return databaseTool({
    name: "agent_list",
    description: "Lists the agents of this workspace with their roles, models and wires.",
    parameters: NoInput,
    apply: (scope) => {
      const agents = blueprint.agentsOf(scope.workspaceId);
      const names = new Map(agents.map((agent) => [agent.id, agent.name]));
      const wires = blueprint.wiresOf(scope.workspaceId);
      const labels = new Map(models.list().map((model) => [model.id, model.distinct_label]));
      const rows = agents.map((agent) => ({
        name: agent.name,
        role: agent.role,
        model: labels.get(agent.model_id) ?? models.labelOf(agent.model_id),
        can_delegate_to: wires
          .filter((wire) => wire.from_agent_id === agent.id)
          .map((wire) => names.get(wire.to_agent_id)),
      }));
      return ok(JSON.stringify(rows));
    },
  });
}

function modelListTool(models: Models): DatabaseTool {
  return databaseTool({
    name: "model_list",
    description: "Lists the models that agents can use.",
    parameters: NoInput,
    apply: () =>
      ok(
        JSON.stringify(
          models.list().map((model) => ({
            label: model.distinct_label,
            model: model.model_name,
            provider: model.provider_name,
          })),
        ),
      ),
  });
}

function wireCreateTool(blueprint: Blueprint): DatabaseTool {
  return databaseTool({
    name: "wire_create",
    durable: true,
    description: "Lets one agent delegate to another, in this direction.",
    parameters: WireInput,
    apply: (scope, input) => {
      const from = blueprint.agentNamed(scope.workspaceId, input.from);
      const to = blueprint.agentNamed(scope.workspaceId, input.to);
      blueprint.createWireIn(scope.caller, scope.workspaceId, { from_agent_id: from.id, to_agent_id: to.id });
      return ok(`"${from.name}" can now delegate to "${to.name}".`);
    },
  });
}

function wireRemoveTool(blueprint: Blueprint): DatabaseTool {
  return databaseTool({
    name: "wire_remove",
    durable: true,
    description: "Takes away one agent's permission to delegate to another, from the next turn on.",
    parameters: WireInput,
    apply: (scope, input) => {
      const from = blueprint.agentNamed(scope.workspaceId, input.from);
      const to = blueprint.agentNamed(scope.workspaceId, input.to);
      const wire = blueprint
        .wiresOf(scope.workspaceId)
        .find((each) => each.from_agent_id === from.id && each.to_agent_id === to.id);
      if (!wire) throw new AppError("not_found", `there is no wire from "${from.name}" to "${to.name}"`);
      blueprint.removeWireIn(scope.caller, wire.id);
      return ok(`From the next turn on "${from.name}" can no longer delegate to "${to.name}".`);
    },
  });
}

/** Finds a model by its label, then by the provider's name for it, then by id. A name that fits several models is refused with all of them. */
function findModel(models: Models, wanted: string): number {
  const all = models.list();
  const key = nameKey(wanted);
  const ways: ((model: Model) => boolean)[] = [
    (model) => model.distinct_label === wanted,
    (model) => nameKey(model.distinct_label) === key,
    (model) => nameKey(model.label) === key,
    (model) => nameKey(model.model_name) === key,
    (model) => String(model.id) === key,
  ];
  for (const way of ways) {
    const [found, ...others] = all.filter(way);
    if (!found) continue;
    if (others.length === 0) return found.id;
    throw ambiguous(wanted, [found, ...others]);
  }
  throw new AppError(
    "not_found",
    `there is no model "${wanted}"; the models are: ${all.map((model) => model.distinct_label).join(", ")}`,
  );
}

/** The ids tell apart even a label that looks like the distinct label of another model. */
function ambiguous(wanted: string, candidates: readonly Model[]): AppError {
  const shown = candidates.slice(0, CANDIDATES_MAX);
  const named = shown.map((model) => `${model.distinct_label} (id ${model.id})`);
  if (candidates.length > shown.length) named.push(`${candidates.length - shown.length} more`);
  return fieldError(
    "conflict",
    "model",
    `${candidates.length} models are called "${wanted}"; choose one by its label or id: ${named.join("; ")}`,
    { candidates: shown.map((model) => model.distinct_label) },
  );
}
