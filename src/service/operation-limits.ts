// The limits of operations that no schema states, for the API description.

import { AGENTS_PER_WORKSPACE_MAX, ROLES_BYTES_MAX, WIRES_PER_WORKSPACE_MAX } from "./blueprint/schema.ts";
import { MODELS_MAX, PROVIDERS_MAX } from "./catalog/schema.ts";
import {
  ARGS_SCHEMA_CHARACTERS_MAX,
  GEAR_CODE_BYTES_MAX,
  GEAR_NAME_PATTERN,
  SCHEMA_PARTS_MAX,
} from "./gears/schema.ts";
import { BINDINGS_PER_WORKSPACE_MAX, INSTRUCTIONS_MAX } from "./library/schema.ts";

const CONTENT = `Code and files have at most ${GEAR_CODE_BYTES_MAX} bytes together. \`args_schema\` has at most ${ARGS_SCHEMA_CHARACTERS_MAX} characters and ${SCHEMA_PARTS_MAX} objects and lists; a pattern in it that could run too long is refused.`;

const ROLES = `The roles of all agents of a workspace have at most ${ROLES_BYTES_MAX} bytes together.`;

/** By method and route. */
export const operationLimits: Readonly<Record<string, string>> = {
  "POST /providers": `At most ${PROVIDERS_MAX} providers.`,
  "POST /models": `At most ${MODELS_MAX} models.`,
  "POST /workspaces/:id/agents": `At most ${AGENTS_PER_WORKSPACE_MAX} agents in a workspace. ${ROLES}`,
  "PATCH /agents/:id": ROLES,
  "POST /workspaces/:id/wires": `At most ${WIRES_PER_WORKSPACE_MAX} wires in a workspace.`,
  "POST /instructions": `At most ${INSTRUCTIONS_MAX} instructions.`,
  "POST /workspaces/:id/instructions": `At most ${BINDINGS_PER_WORKSPACE_MAX} bound instructions in a workspace.`,
  "POST /gears": `The name matches \`${GEAR_NAME_PATTERN}\`. ${CONTENT}`,
  "PUT /gears/:id": CONTENT,
};
