// Builds a request of the Chat Completions API for OpenAI-compatible servers. Texts are plain strings, because many of these servers do not
// accept lists of parts.

import type { ModelEndpoint } from "../catalog/models.ts";
import type { Message, ModelRequest } from "./model.ts";
import { inputOf, joinNeighbours } from "./prompt.ts";

export function chatBody(endpoint: ModelEndpoint, request: ModelRequest): object {
  const { system, messages, tools, mayCall } = request;
  return {
    model: endpoint.modelName,
    ...(endpoint.outputTokens === null ? {} : { max_tokens: endpoint.outputTokens }),
    messages: [
      ...system.map((content) => ({ role: "system", content })),
      ...joinNeighbours(messages).map(chatMessage),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: "function",
            function: { name, description, parameters },
          })),
          tool_choice: mayCall ? "auto" : "none",
        }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function chatMessage(message: Message): object {
  if (message.role === "user") return { role: "user", content: message.text };
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.text };
  const { text, calls } = message;
  if (calls.length === 0) return { role: "assistant", content: text };
  return {
    role: "assistant",
    content: text === "" ? null : text,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(inputOf(call)) },
    })),
  };
}
