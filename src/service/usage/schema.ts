// What was used: tokens as providers reported them, money where prices are known.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable } from "../../kit/schema.ts";

const sums = {
  calls: Type.Integer(),
  /** Calls for which the provider reported no tokens: their use is not in the sums. */
  unreported_calls: Type.Integer(),
  input_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  /** Null: nothing that was used has a known price. Otherwise the sum of what has. */
  cost: nullable(Type.Number()),
  /** Calls whose cost is not in the sum. */
  unpriced_calls: Type.Integer(),
};

/** What counts against a daily budget now: use without a known price costs nothing here. A day is one of UTC. */
const Today = closed({ tokens: Type.Integer(), cost: Type.Number() });

export const AgentUsage = closed({
  agent_id: Id,
  agent: Type.String(),
  removed: Type.Boolean(),
  ...sums,
  /** Of the workspace's input and output tokens, 0 to 1; null while nothing was reported. */
  share: nullable(Type.Number()),
  /** Its own and that of its delegates, and theirs. */
  today: Today,
});

export const Usage = closed({
  workspace_id: Id,
  ...sums,
  today: Today,
  agents: Type.Array(AgentUsage),
});
export type Usage = Static<typeof Usage>;
