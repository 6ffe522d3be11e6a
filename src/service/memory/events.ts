// Events of documents that are bound to prompts, and of what agents write.

import { Type } from "@sinclair/typebox";
import { closed, Id, nullable } from "../../kit/schema.ts";
import { ContextBinding, MemoryWrite } from "./schema.ts";

export const contextEvents = {
  "context.bound": closed({ binding: ContextBinding }),
  "context.unbound": closed({ binding_id: Id, path: Type.String(), agent_id: nullable(Id) }),
  "memory.written": closed({ write: MemoryWrite }),
};
export type ContextEvents = typeof contextEvents;
