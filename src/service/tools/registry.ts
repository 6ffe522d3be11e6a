// Lists the tools that an agent has now, from the sources that features register in parts.ts.

import type { ToolSpec } from "../llm/model.ts";
import { sentSchema } from "../llm/tool-schema.ts";
import type { Tool, ToolScope, ToolSource } from "./tool.ts";

export class ToolRegistry {
  readonly #sources: readonly ToolSource[];

  constructor(sources: readonly ToolSource[]) {
    this.#sources = sources;
  }

  /** The order is stable, because the list is part of the cached prompt. A tainted agent gets no durable tools. */
  toolsFor(scope: ToolScope): Tool[] {
    const tools = this.#sources.flatMap((source) => source(scope));
    return scope.tainted ? tools.filter((tool) => tool.durable !== true) : tools;
  }
}

export function toSpec(tool: Tool): ToolSpec {
  return { name: tool.name, description: tool.description, parameters: sentSchema(tool.parameters) };
}
