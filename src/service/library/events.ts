// Events of instructions and their bindings.

import { Type } from "@sinclair/typebox";
import { closed, Id, nullable } from "../../kit/schema.ts";
import { InstructionBinding } from "./schema.ts";

export const instructionEvents = {
  "instruction.bound": closed({ binding: InstructionBinding }),
  "instruction.unbound": closed({ binding_id: Id, instruction_id: Id, agent_id: nullable(Id) }),
  "instruction.updated": closed({
    instruction_id: Id,
    name: Type.String(),
    version: Id,
    user: Type.String(),
  }),
};
export type InstructionEvents = typeof instructionEvents;
