// All tools of an agent at this moment, from the sources that features registered. Adding a feature's tools is one line in parts.ts.

import type { ToolSpec } from "../llm/model.ts";
import type { Tool, ToolScope, ToolSource } from "./tool.ts";

export class ToolRegistry {
  readonly #sources: readonly ToolSource[];

  constructor(sources: readonly ToolSource[]) {
    this.#sources = sources;
  }

  /** In a stable order, since the list is part of the prompt and of its cache. A tainted agent is not offered what it may not use. */
  toolsFor(scope: ToolScope): Tool[] {
    const tools = this.#sources.flatMap((source) => source(scope));
    return scope.tainted ? tools.filter((tool) => tool.durable !== true) : tools;
  }
}

export function toSpec(tool: Tool): ToolSpec {
  return { name: tool.name, description: tool.description, parameters: tool.parameters };
}
