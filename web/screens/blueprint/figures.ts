// Figures of an agent: model name, usage, share, budget. Cards and list use the same words.

import { type Accessor, createMemo } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import type { Usage } from "../../../src/service/usage/schema.ts";
import type { Budget } from "../../../src/service/workspaces/schema.ts";
import { costText, money, percent, tokens } from "../../kit/format.ts";
import { NOTHING_USED } from "../../parts/budget/budget-meter.tsx";
import { colourOf } from "../../state/agent-look.ts";
import type { WorkspaceState } from "../../state/workspace-state.ts";
import { modelsQuery } from "../../state/lists.ts";

export interface AgentFigures {
  readonly tokens: number;
  /** 0 to 1; null: nothing was reported. */
  readonly share: number | null;
  readonly colour: string;
  readonly budget: BudgetLine | undefined;
}

interface BudgetLine {
  /** `$0.09 of $0.50`, `1,204 of 5,000`. */
  readonly text: string;
  readonly title: string;
  readonly spent: boolean;
}

export interface Figures {
  readonly of: (agentId: number) => AgentFigures;
  readonly model: (agent: Agent) => string;
}

const NOTHING: AgentFigures = { tokens: 0, share: null, colour: "var(--agent-1)", budget: undefined };

export function createFigures(state: Accessor<WorkspaceState>): Figures {
  const models = modelsQuery();
  const labels = createMemo(
    () => new Map((models.data() ?? []).map(({ id, distinct_label: label }) => [id, label])),
  );
  const agents = createMemo(() => state().agents);
  const usage = createMemo(() => state().usage);
  const agentNames = createMemo(() => state().agentNames);
  const names = () => ({ agentNames: agentNames() });
  const all = createMemo(() => {
    const used = new Map(usage().agents.map((one) => [one.agent_id, one]));
    return new Map(
      agents().map((agent) => [agent.id, figuresOf(agent, used.get(agent.id), colourOf(names(), agent.id))]),
    );
  });
  return {
    of: (agentId) => all().get(agentId) ?? NOTHING,
    model: (agent) => labels().get(agent.model_id) ?? "",
  };
}

type AgentUsage = Usage["agents"][number];

function figuresOf(agent: Agent, used: AgentUsage | undefined, colour: string): AgentFigures {
  return {
    tokens: used ? used.input_tokens + used.output_tokens : 0,
    share: used?.share ?? null,
    colour,
    budget: agent.budget ? budgetLine(agent.budget, used?.today ?? NOTHING_USED) : undefined,
  };
}

/** Prefers the daily limit, which fills up over turns. */
function budgetLine(budget: Budget, today: Usage["today"]): BudgetLine | undefined {
  const {
    cost_per_day: cost,
    tokens_per_day: perDay,
    cost_per_turn: costPerTurn,
    tokens_per_turn: perTurn,
  } = budget;
  const daily = (used: number, words: string, limit: number, most: string): BudgetLine => {
    const text = `${words} of ${most}`;
    const spent = used >= limit;
    return { text, title: spent ? `Daily budget used up: ${text}` : `Used today: ${text}`, spent };
  };
  if (cost) return daily(today.cost ?? 0, costText(today), cost, money(cost));
  if (perDay) return daily(today.tokens, tokens(today.tokens), perDay, tokens(perDay));
  const turn = costPerTurn ? money(costPerTurn) : perTurn ? tokens(perTurn) : undefined;
  return turn === undefined
    ? undefined
    : { text: `${turn} per turn`, title: `Budget per turn: ${turn}`, spent: false };
}

export function shareText(share: number | null): string {
  return share === null ? "0%" : percent(share);
}
