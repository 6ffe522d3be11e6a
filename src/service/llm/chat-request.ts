// Builds a request of the Chat Completions API for OpenAI-compatible servers. Texts are plain strings, because many of these servers do not
// accept lists of parts: only a message with an image or a PDF is one. The system texts are one message, because the templates of many models
// refuse a second one.

import { Base64Text } from "../attachments/content.ts";
import type { SentAttachment } from "../attachments/schema.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import { UNADAPTED, type Adapted } from "./adaptations.ts";
import type { Message, ModelRequest, ToolCall } from "./model.ts";
import { BETWEEN_TEXTS, contentOf, heading, inputOf, joinNeighbours } from "./prompt.ts";
import { schemaWithoutLimits } from "./tool-schema.ts";

/** Google's placeholder for calls whose signature is not known. */
const NO_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };
/** One provider accepts no other ids of tool calls. */
const CALL_ID_CHARACTERS = 9;
const CALL_ID = new RegExp(`^[a-zA-Z0-9]{${CALL_ID_CHARACTERS}}$`);

export function chatBody(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  adapted: Adapted = UNADAPTED,
): object {
  const { system, messages, tools, mayCall } = request;
  return {
    model: endpoint.modelName,
    ...limitOf(endpoint, adapted),
    ...(adapted.has("no-effort") ? { reasoning_effort: "none" } : {}),
    messages: [
      ...(system.length === 0 ? [] : [{ role: "system", content: system.join(BETWEEN_TEXTS) }]),
      ...orderedMessages(messages, adapted).map((message) => chatMessage(message, request.contents, adapted)),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: "function",
            function: {
              name,
              description,
              parameters: adapted.has("plain-tools") ? schemaWithoutLimits(parameters) : parameters,
            },
          })),
          ...(adapted.has("no-tool-choice") ? {} : { tool_choice: mayCall ? "auto" : "none" }),
        }),
    stream: true,
    ...(adapted.has("no-usage-option") ? {} : { stream_options: { include_usage: true } }),
  };
}

/** An answer that was cancelled, or failed, leaves a person's message right after the results of tools. */
const NO_ANSWER: Message = { role: "assistant", text: "(No answer.)", calls: [] };

function orderedMessages(messages: readonly Message[], adapted: Adapted): Message[] {
  const joined = joinNeighbours(messages);
  if (!adapted.has("answer-after-tools")) return joined;
  return joined.flatMap((message, index) =>
    message.role === "user" && joined[index - 1]?.role === "tool" ? [NO_ANSWER, message] : [message],
  );
}

function limitOf({ outputTokens }: ModelEndpoint, adapted: Adapted): object {
  if (outputTokens === null) return {};
  return adapted.has("completion-limit")
    ? { max_completion_tokens: outputTokens }
    : { max_tokens: outputTokens };
}

function chatMessage(message: Message, contents: ModelRequest["contents"], adapted: Adapted): object {
  if (message.role === "user") return { role: "user", content: userContent(message, contents) };
  if (message.role === "tool")
    return { role: "tool", tool_call_id: callIdAsSent(message.callId), content: message.text };
  const { text, calls, reasoning = "" } = message;
  const replayed = adapted.has("reasoning") ? { reasoning_content: reasoning } : {};
  if (calls.length === 0) return { role: "assistant", content: text, ...replayed };
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...replayed,
    tool_calls: calls.map((call) => toolCall(call, adapted)),
  };
}

function toolCall(call: ToolCall, adapted: Adapted): object {
  return {
    id: callIdAsSent(call.id),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(inputOf(call)) },
    ...(adapted.has("signatures") ? { extra_content: NO_SIGNATURE } : {}),
  };
}

/** Shortens an id of an earlier version of this service: to the same one in every request, for the provider's prompt cache. */
function callIdAsSent(id: string): string {
  if (CALL_ID.test(id)) return id;
  return Bun.hash.wyhash(id).toString(36).padStart(CALL_ID_CHARACTERS, "0").slice(-CALL_ID_CHARACTERS);
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
