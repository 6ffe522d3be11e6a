// Calls the AI SDK's provider packages like the engine calls its own client.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Protocol, ScriptedModel } from "../../kit/model/index.ts";

export const PROTOCOLS = ["anthropic", "openai"] as const;
export const TOOLS = ["a", "b"].map((name) => ({
  type: "function" as const,
  name,
  description: name,
  inputSchema: { type: "object" as const },
}));

export function languageModel(model: ScriptedModel, protocol: Protocol) {
  const options = { baseURL: model.openaiUrl, apiKey: "key" };
  return protocol === "anthropic"
    ? createAnthropic(options).languageModel("boss")
    : createOpenAICompatible({ ...options, name: "cairn", includeUsage: true }).languageModel("boss");
}

export type CallOptions = Parameters<ReturnType<typeof languageModel>["doStream"]>[0];

export const PROMPT: CallOptions["prompt"] = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
