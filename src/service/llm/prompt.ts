// From our neutral request to the prompt of the protocol libraries: neighbours of one role merged, cache marks set.

import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import type { Message, ModelRequest } from "./model.ts";

type Content<R extends LanguageModelV4Message["role"]> = Extract<
  LanguageModelV4Message,
  { role: R }
>["content"];

/** Up to here the prompt is likely to come again. OpenAI-compatible providers cache by themselves. */
const CACHE_MARK = { anthropic: { cacheControl: { type: "ephemeral" } } };

export function toPrompt(request: ModelRequest): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = request.system.map((content) => ({ role: "system", content }));
  for (const message of request.messages) append(prompt, message);
  mark(prompt, request.system.length - 1);
  mark(prompt, prompt.length - 1);
  return prompt;
}

export function toTools(request: ModelRequest): LanguageModelV4FunctionTool[] {
  return request.tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool["inputSchema"],
  }));
}

function append(prompt: LanguageModelV4Prompt, message: Message): void {
  if (message.role === "user") {
    contentOf(prompt, "user").push({ type: "text", text: message.text });
  } else if (message.role === "assistant") {
    const content = contentOf(prompt, "assistant");
    if (message.text !== "") content.push({ type: "text", text: message.text });
    for (const call of message.calls) {
      content.push({
        type: "tool-call",
        toolCallId: call.id,
        toolName: call.name,
        input: inputOf(call.arguments),
      });
    }
  } else {
    const output = {
      type: message.failed ? ("error-text" as const) : ("text" as const),
      value: message.text,
    };
    contentOf(prompt, "tool").push({
      type: "tool-result",
      toolCallId: message.callId,
      toolName: message.tool,
      output,
    });
  }
}

/** The content of the last message when it has this role, else of a new one. */
function contentOf<R extends "user" | "assistant" | "tool">(
  prompt: LanguageModelV4Prompt,
  role: R,
): Content<R> {
  const last = prompt.at(-1);
  if (last?.role === role) return last.content as Content<R>;
  const content = [] as Content<R>;
  prompt.push({ role, content } as LanguageModelV4Message);
  return content;
}

/** Arguments that were not an object were answered with an error; what the model wrote is shown to it as text. */
function inputOf(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Falls through to the text form.
  }
  return { invalid_arguments: json };
}

function mark(prompt: LanguageModelV4Prompt, index: number): void {
  const message = prompt[index];
  if (message) prompt[index] = { ...message, providerOptions: CACHE_MARK };
}
