// Events of agents and wires.

import { closed, Id } from "../../kit/schema.ts";
import { Agent, Wire } from "./schema.ts";

const AgentData = closed({ agent: Agent });

export const blueprintEvents = {
  "agent.created": AgentData,
  "agent.updated": AgentData,
  "agent.removed": closed({ agent_id: Id }),
  "wire.created": closed({ wire: Wire }),
  "wire.removed": closed({ wire_id: Id }),
};
export type BlueprintEvents = typeof blueprintEvents;
