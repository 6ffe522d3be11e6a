// Usage: tokens as reported by providers, and cost where prices are known.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf } from "../../kit/schema.ts";

const sums = {
  calls: Type.Integer(),
  /** Calls for which the provider reported no tokens; the sums exclude them. */
  unreported_calls: Type.Integer(),
  input_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  /** Sum of the calls with a known cost; null when there are none. */
  cost: nullable(Type.Number()),
  /** Calls without a known cost. */
  unpriced_calls: Type.Integer(),
};

/** Counts against daily budgets. Days are in UTC. */
export const Today = closed({
  tokens: Type.Integer(),
  /** Sum of the calls with a known cost; null when there were only others. */
  cost: nullable(Type.Number()),
  /** Calls without a known cost; a budget counts them as free. */
  unpriced_calls: Type.Integer(),
});

export type Today = Static<typeof Today>;

export const AgentUsage = closed({
  agent_id: Id,
  agent: Type.String(),
  removed: Type.Boolean(),
  ...sums,
  /** Share of the workspace's input and output tokens, 0 to 1; null until tokens are reported. */
  share: nullable(Type.Number()),
  /** Includes the usage of its delegates, recursively. */
  today: Today,
});

export const Usage = closed({
  workspace_id: Id,
  ...sums,
  today: Today,
  agents: Type.Array(AgentUsage),
});
export type Usage = Static<typeof Usage>;

const USAGE_DAYS_MAX = 90;
export const USAGE_DAYS_DEFAULT = 30;
/** The rest is summed as one. */
export const USAGE_SERIES_MAX = 5;

export const UsageDaysQuery = closed({
  by: Type.Optional(oneOf(["agent", "model"] as const)),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: USAGE_DAYS_MAX, default: USAGE_DAYS_DEFAULT })),
});
export type UsageDaysQuery = Static<typeof UsageDaysQuery>;

const Day = Type.String({ description: "a day in UTC, like 2026-11-21" });

/** Usage by day. A call counts for the day on which it ended. */
export const UsageDays = closed({
  from: Day,
  to: Day,
  /** By day, then most tokens first. Days and agents or models without calls are left out. */
  rows: Type.Array(
    closed({
      day: Day,
      /** Of the agent or model; null for all beyond the USAGE_SERIES_MAX largest together. */
      id: nullable(Id),
      name: Type.String(),
      ...sums,
    }),
  ),
});
export type UsageDays = Static<typeof UsageDays>;
