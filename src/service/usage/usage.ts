// Counts usage and enforces budgets. An agent's usage also counts for every agent that delegated to it and for the workspace, so that an
// agent's budget bounds its delegates.

import { utcDay, type Clock } from "../../kit/clock.ts";
import { amountOf, costNano, nanoOf, type Nano } from "../../kit/text/money.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Prices } from "../catalog/models.ts";
import type { TokenUsage } from "../llm/model.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { Budget } from "../workspaces/schema.ts";
import type { Today, Usage } from "./schema.ts";
import type { SpentRow, UsageRow, UsageStore } from "./store.ts";

const WHOLE_WORKSPACE = 0;
const TOKENS_PER_PRICE = 1_000_000;

interface Spender {
  readonly workspaceId: number;
  readonly turnId: number;
  readonly agentId: number;
}

interface Spending extends Omit<Spender, "agentId"> {
  /** The agent and its callers. */
  readonly agentIds: readonly number[];
  readonly usage: TokenUsage;
  readonly cost: Nano | null;
}

interface UsagesDeps {
  store: UsageStore;
  access: Access;
  blueprint: Blueprint;
  /** Returns the workspace's budget; null when there is none. */
  workspaceBudget: (workspaceId: number) => Budget | null;
  clock: Clock;
}

export class Usages {
  readonly #deps: UsagesDeps;

  constructor(deps: UsagesDeps) {
    this.#deps = deps;
  }

  get(caller: Caller, workspaceId: number): Usage {
    const { store, access } = this.#deps;
    access.workspace(caller, workspaceId);
    const rows = store.byAgent.all(workspaceId);
    const total = totalOf(rows);
    const reported = total.input_tokens + total.output_tokens;
    const agents = rows.map(({ cost_nano, ...row }) => ({
      ...row,
      cost: cost_nano === null ? null : amountOf(cost_nano),
      removed: row.removed === 1,
      share: reported === 0 ? null : (row.input_tokens + row.output_tokens) / reported,
      today: this.#today(workspaceId, row.agent_id),
    }));
    return {
      workspace_id: workspaceId,
      ...total,
      today: this.#today(workspaceId, WHOLE_WORKSPACE),
      agents,
    };
  }

  /** Of a whole workspace on that day. The caller of this sees the workspace. */
  ofWorkspace(workspaceId: number, day: string): Today {
    return todayOf(this.#deps.store.spentOnDay.get(workspaceId, WHOLE_WORKSPACE, day)!);
  }

  /** Inside the write that records the call. */
  spend({ workspaceId, turnId, agentIds, usage, cost }: Spending): void {
    const { store, clock } = this.#deps;
    const tokens = (usage.input ?? 0) + (usage.output ?? 0);
    if (tokens === 0 && cost !== null) return;
    const day = utcDay(clock.now());
    for (const agentId of new Set([...agentIds, WHOLE_WORKSPACE])) {
      store.spend.run({
        workspace_id: workspaceId,
        agent_id: agentId,
        day,
        turn_id: turnId,
        tokens,
        cost_nano: cost ?? 0,
        unpriced_calls: cost === null ? 1 : 0,
      });
    }
  }

  /** Returns the first exhausted budget as a clause for people and models; undefined when there is none. */
  exhausted(workspaceId: number, turnId: number, agentIds: readonly number[]): string | undefined {
    const { blueprint, workspaceBudget } = this.#deps;
    for (const agentId of new Set(agentIds)) {
      const agent = blueprint.agentById(agentId);
      const reason = agent && this.#over({ workspaceId, turnId, agentId }, agent.budget);
      if (reason) return `the ${reason} of agent "${agent.name}" is used up`;
    }
    const whole = { workspaceId, turnId, agentId: WHOLE_WORKSPACE };
    const reason = this.#over(whole, workspaceBudget(workspaceId));
    return reason && `the ${reason} of the workspace is used up`;
  }

  #over({ workspaceId, turnId, agentId }: Spender, budget: Budget | null): string | undefined {
    if (!budget) return undefined;
    const turn = this.#deps.store.spentInTurn.get(workspaceId, agentId, turnId)!;
    const day = this.#spentToday(workspaceId, agentId);
    return (
      used("budget for a turn", turn, budget.tokens_per_turn, budget.cost_per_turn) ??
      used("budget for a day", day, budget.tokens_per_day, budget.cost_per_day)
    );
  }

  #today(workspaceId: number, agentId: number): Today {
    return todayOf(this.#spentToday(workspaceId, agentId));
  }

  #spentToday(workspaceId: number, agentId: number): SpentRow {
    const { store, clock } = this.#deps;
    return store.spentOnDay.get(workspaceId, agentId, utcDay(clock.now()))!;
  }
}

/** An unknown cost is never a zero. */
function todayOf({ tokens, cost_nano, unpriced_calls }: SpentRow): Today {
  const unknown = cost_nano === 0 && unpriced_calls > 0;
  return { tokens, cost: unknown ? null : amountOf(cost_nano), unpriced_calls };
}

/**
 * Returns the cost of a call in billionths of the prices' unit; null when tokens or a required price are unknown. Cached input defaults to the
 * input price.
 */
export function costOf(usage: TokenUsage, prices: Prices): Nano | null {
  if (usage.input === null || usage.output === null || prices.input === null || prices.output === null)
    return null;
  const cached = usage.cachedInput ?? 0;
  const fresh = Math.max(0, usage.input - cached);
  return costNano(
    [
      { count: fresh, price: prices.input },
      { count: cached, price: prices.cachedInput ?? prices.input },
      { count: usage.output, price: prices.output },
    ],
    TOKENS_PER_PRICE,
  );
}

function used(
  what: string,
  spent: SpentRow,
  tokens: number | null | undefined,
  cost: number | null | undefined,
): string | undefined {
  if (tokens && spent.tokens >= tokens) return `token ${what} (${tokens})`;
  if (cost && spent.cost_nano >= nanoOf(cost)) return `money ${what} (${cost})`;
  return undefined;
}

function totalOf(rows: readonly UsageRow[]) {
  const sum = (value: (row: UsageRow) => number) => rows.reduce((total, row) => total + value(row), 0);
  const priced = rows.filter((row) => row.cost_nano !== null);
  return {
    calls: sum((row) => row.calls),
    unreported_calls: sum((row) => row.unreported_calls),
    input_tokens: sum((row) => row.input_tokens),
    cached_input_tokens: sum((row) => row.cached_input_tokens),
    output_tokens: sum((row) => row.output_tokens),
    cost: priced.length === 0 ? null : amountOf(sum((row) => row.cost_nano ?? 0)),
    unpriced_calls: sum((row) => row.unpriced_calls),
  };
}
