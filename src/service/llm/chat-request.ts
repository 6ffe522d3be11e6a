// Builds a request of the Chat Completions API for OpenAI-compatible servers. Texts are plain strings, because many of these servers do not
// accept lists of parts: only a message with an image or a PDF is one.

import { Base64Text } from "../attachments/content.ts";
import type { SentAttachment } from "../attachments/schema.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import type { Message, ModelRequest } from "./model.ts";
import { contentOf, heading, inputOf, joinNeighbours } from "./prompt.ts";

export function chatBody(endpoint: ModelEndpoint, request: ModelRequest): object {
  const { system, messages, tools, mayCall } = request;
  return {
    model: endpoint.modelName,
    ...(endpoint.outputTokens === null ? {} : { max_tokens: endpoint.outputTokens }),
    messages: [
      ...system.map((content) => ({ role: "system", content })),
      ...joinNeighbours(messages).map((message) => chatMessage(message, request.contents)),
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

function chatMessage(message: Message, contents: ModelRequest["contents"]): object {
  if (message.role === "user") return { role: "user", content: userContent(message, contents) };
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

type Part = Readonly<Record<string, unknown>>;

function userContent(
  { text, attachments = [] }: Extract<Message, { role: "user" }>,
  contents: ModelRequest["contents"],
): string | Part[] {
  const parts = attachments.flatMap((one) => attachmentParts(one, contents));
  if (text !== "" || parts.length === 0) parts.push(textPart(text));
  const texts = parts.flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

function attachmentParts(one: SentAttachment, contents: ModelRequest["contents"]): Part[] {
  if (one.as === "note") return [textPart(one.note ?? "")];
  const content = contentOf(one, contents);
  if (!(content instanceof Base64Text))
    return [textPart(`${heading(one)}\n${content}\n[End of "${one.name}"]`)];
  const data = content.after(`data:${one.media_type};base64,`);
  return one.as === "image"
    ? [textPart(heading(one)), { type: "image_url", image_url: { url: data } }]
    : [{ type: "file", file: { filename: one.name, file_data: data } }];
}

function textPart(text: string): Part {
  return { type: "text", text };
}
