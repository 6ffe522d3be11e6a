// The refusals of the Anthropic Messages API, as a pure function of the request body: the
// oracle for "this conversation is valid". Messages are worded as the vendor words them.
// Sources: platform.claude.com/docs (Messages, tool use, extended thinking, prompt caching)
// and the 400s people have reported. Where the vendor's own models differ, the stricter
// rule stands here. Knows text, images, documents, thinking and tools; no server tools.

import { isObject, listOf, objectOf, textOf } from "./conversation.ts";

const FIELDS = new Set(
  "cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id".split(
    " ",
  ),
);
const TOOL_FIELDS = new Set(
  "name description input_schema cache_control type strict eager_input_streaming defer_loading allowed_callers input_examples".split(
    " ",
  ),
);
const BLOCK_FIELDS: Record<string, Set<string>> = {
  text: new Set(["type", "text", "cache_control", "citations"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "title", "context", "citations", "cache_control"]),
  tool_use: new Set(["type", "id", "name", "input", "cache_control", "caller"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]),
};
const CACHE_MARKS_MAX = 4;
const THINKING_BUDGET_TOKENS_MIN = 1024;

/** How the scripted model signs its thinking, so that a changed block is found out. */
export function signThinking(text: string): string {
  return `sig${Bun.hash(text).toString(36)}`;
}

/** Every reason to refuse this body; empty when it is valid. `alternate` also refuses
 *  neighbours of one role, which this API merges and others of its kind do not. */
export function validateMessagesRequest(body: unknown, options: { alternate?: boolean } = {}): string[] {
  if (!isObject(body)) return ["body: Input should be a valid dictionary"];
  const found: string[] = [];
  for (const field of Object.keys(body))
    if (!FIELDS.has(field) && body[field] !== undefined)
      found.push(`${field}: Extra inputs are not permitted`);
  found.push(...checkSettings(body), ...checkTools(body), ...checkSystem(body.system));
  if (!Array.isArray(body.messages)) return [...found, "messages: Field required"];
  const messages = body.messages;
  if (messages.length === 0) return [...found, "messages: at least one message is required"];
  messages.forEach((message, at) => found.push(...checkMessage(message, at, messages.length)));
  found.push(...checkOrder(listOf(messages), options.alternate === true));
  found.push(...checkPairs(listOf(messages)), ...checkToolTurn(body));
  const marks = countMarks([body.system, body.tools, body.messages]) + (body.cache_control ? 1 : 0);
  if (marks > CACHE_MARKS_MAX)
    found.push(`A maximum of ${CACHE_MARKS_MAX} blocks with cache_control may be provided. Found ${marks}.`);
  return found;
}

function checkSettings(body: Record<string, unknown>): string[] {
  const found: string[] = [];
  if (textOf(body.model) === "") found.push("model: Field required");
  if (body.max_tokens === undefined) found.push("max_tokens: Field required");
  else if (!Number.isInteger(body.max_tokens)) found.push("max_tokens: Input should be a valid integer");
  else if (Number(body.max_tokens) < 1) found.push("max_tokens: Input should be greater than or equal to 1");
  for (const name of ["temperature", "top_p"]) {
    const value = body[name];
    if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= 1))
      found.push(`${name}: range: 0..1`);
  }
  const thinking = objectOf(body.thinking);
  if (thinking.type === "enabled") {
    const budget = Number(thinking.budget_tokens);
    if (!(budget >= THINKING_BUDGET_TOKENS_MIN))
      found.push("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (!(Number(body.max_tokens) > budget))
      found.push("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  return found;
}

function checkSystem(system: unknown): string[] {
  if (system === undefined || typeof system === "string") return [];
  if (!Array.isArray(system)) return ["system: Input should be a valid list"];
  return system.flatMap((block, at) => {
    if (objectOf(block).type !== "text") return [`system.${at}.type: Input should be 'text'`];
    return textOf(block.text) === "" ? ["system: text content blocks must be non-empty"] : [];
  });
}

function checkTools(body: Record<string, unknown>): string[] {
  if (body.tools === undefined) {
    return body.tool_choice === undefined
      ? []
      : ["tool_choice: tool_choice may only be specified while providing tools."];
  }
  if (!Array.isArray(body.tools)) return ["tools: Input should be a valid list"];
  const names = new Set<string>();
  const found = body.tools.flatMap((given, at) => {
    const tool = objectOf(given);
    const wrong: string[] = [];
    const name = textOf(tool.name);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      wrong.push(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (names.has(name)) wrong.push("tools: Tool names must be unique.");
    names.add(name);
    if (objectOf(tool.input_schema).type !== "object")
      wrong.push(`tools.${at}.custom.input_schema.type: Field required`);
    for (const field of Object.keys(tool))
      if (!TOOL_FIELDS.has(field) && tool[field] !== undefined)
        wrong.push(`tools.${at}.custom.${field}: Extra inputs are not permitted`);
    return wrong;
  });
  const { type, name } = objectOf(body.tool_choice);
  if (body.tool_choice !== undefined && !["auto", "any", "tool", "none"].includes(textOf(type)))
    found.push("tool_choice: Input tag does not match any of the expected tags");
  if (type === "tool" && !names.has(textOf(name)))
    found.push(`Tool '${textOf(name)}' not found in provided tools`);
  return found;
}

function checkMessage(given: unknown, at: number, count: number): string[] {
  const { role, content, ...rest } = objectOf(given);
  const found = Object.keys(rest)
    .filter((field) => rest[field] !== undefined)
    .map((field) => `messages.${at}.${field}: Extra inputs are not permitted`);
  if (role === "system")
    return [
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ];
  if (role !== "user" && role !== "assistant")
    return [`messages.${at}.role: Input should be 'user' or 'assistant'`];
  if (typeof content !== "string" && !Array.isArray(content))
    return [...found, `messages.${at}.content: Field required`];
  const finalAssistant = at === count - 1 && role === "assistant";
  if (content.length === 0 && !finalAssistant)
    found.push(
      `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  if (typeof content === "string") {
    if (content !== "" && content.trim() === "")
      found.push("messages: text content blocks must contain non-whitespace text");
    return found;
  }
  content.forEach((block, n) =>
    found.push(...checkBlock(objectOf(block), role, `messages.${at}.content.${n}`)),
  );
  return found;
}

function checkBlock(block: Record<string, unknown>, role: string, where: string): string[] {
  const type = textOf(block.type);
  const fields = BLOCK_FIELDS[type];
  if (!fields) return [`${where}: Input tag '${type}' does not match any of the expected tags`];
  const found = Object.keys(block)
    .filter((field) => !fields.has(field) && block[field] !== undefined)
    .map((field) => `${where}.${type}.${field}: Extra inputs are not permitted`);
  if (type === "text") found.push(...checkText(block, where));
  if (type === "image" || type === "document") found.push(...checkSource(type, block.source, where));
  if ((type === "image" || type === "document") && role === "assistant")
    found.push(`${where}: \`${type}\` blocks can only be in \`user\` messages`);
  if (type === "tool_result" && role === "assistant")
    found.push(`${where}: \`tool_result\` blocks can only be in \`user\` messages`);
  if (type === "tool_result") found.push(...checkResultContent(block.content, where));
  if (["tool_use", "thinking", "redacted_thinking"].includes(type) && role === "user")
    found.push(`${where}: \`${type}\` blocks can only be in \`assistant\` messages`);
  if (type === "tool_use") {
    if (!/^[a-zA-Z0-9_-]+$/.test(textOf(block.id)))
      found.push(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    if (!/^[a-zA-Z0-9_-]{1,200}$/.test(textOf(block.name)))
      found.push(`${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`);
    if (!isObject(block.input)) found.push(`${where}.tool_use.input: Input should be a valid dictionary`);
  }
  if (type === "thinking" && block.signature !== signThinking(textOf(block.thinking)))
    found.push(`${where}: Invalid \`signature\` in \`thinking\` block`);
  return found;
}

function checkText(block: Record<string, unknown>, where: string): string[] {
  if (typeof block.text !== "string") return [`${where}.text.text: Field required`];
  if (block.text === "" && block.cache_control)
    return [`${where}: cache_control cannot be set for empty text blocks`];
  if (block.text === "") return ["messages: text content blocks must be non-empty"];
  if (block.text.trim() === "") return ["messages: text content blocks must contain non-whitespace text"];
  return [];
}

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const IMAGE_BASE64_BYTES_MAX = 5 * 1024 * 1024;
const IMAGE_SIDE_PIXELS_MAX = 8_000;

/** Images and PDFs as base64, documents also as text. The bytes must be what the media type says. */
function checkSource(type: "image" | "document", given: unknown, where: string): string[] {
  const { type: kind, media_type: media, data, ...rest } = objectOf(given);
  const at = `${where}.${type}.source`;
  if (Object.keys(rest).length > 0) return [`${at}: Extra inputs are not permitted`];
  if (typeof data !== "string" || data === "") return [`${at}.data: Field required`];
  if (kind === "text" && type === "document")
    return media === "text/plain" ? [] : [`${at}.text.media_type: Input should be 'text/plain'`];
  if (kind !== "base64") return [`${at}: Input tag '${textOf(kind)}' found using 'type' does not match`];
  const allowed = type === "image" ? IMAGE_TYPES : ["application/pdf"];
  if (!allowed.includes(textOf(media)))
    return [`${at}.base64.media_type: Input should be '${allowed.join("' or '")}'`];
  if (type === "image" && data.length > IMAGE_BASE64_BYTES_MAX)
    return [
      `${at}.base64: image exceeds 5 MB maximum: ${data.length} bytes > ${IMAGE_BASE64_BYTES_MAX} bytes`,
    ];
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data) return [`${at}.base64.data: invalid base64 data`];
  if (mediaTypeOf(bytes) !== media)
    return [
      `${at}.base64.data: The image was specified using the ${textOf(media)} media type, but does not appear to be one`,
    ];
  const tooWide =
    media === "image/png" && Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) > IMAGE_SIDE_PIXELS_MAX;
  return tooWide
    ? [`${at}.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`]
    : [];
}

/** By the first bytes. */
export function mediaTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) return "image/webp";
  return head.startsWith("%PDF-") ? "application/pdf" : undefined;
}

function checkResultContent(content: unknown, where: string): string[] {
  if (content === undefined || typeof content === "string") return [];
  if (!Array.isArray(content)) return [`${where}.tool_result.content: Input should be a valid list`];
  return content.flatMap((part, n) => {
    if (objectOf(part).type !== "text") return [`${where}.tool_result.content.${n}: Input tag unknown`];
    return textOf(objectOf(part).text) === "" ? ["messages: text content blocks must be non-empty"] : [];
  });
}

function checkOrder(messages: Record<string, unknown>[], alternate: boolean): string[] {
  const found: string[] = [];
  if (messages[0]?.role !== "user") found.push('messages: first message must use the "user" role');
  if (messages.at(-1)?.role === "assistant")
    found.push(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  messages.forEach((message, at) => {
    if (alternate && at > 0 && message.role === messages[at - 1]?.role)
      found.push(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${textOf(message.role)}" roles in a row`,
      );
  });
  return found;
}

/** Each tool_use is answered in the very next message, results first; no result without its use. */
function checkPairs(messages: Record<string, unknown>[]): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  messages.forEach((message, at) => {
    const blocks = listOf(message.content);
    const results = blocks.filter((b) => b.type === "tool_result").map((b) => textOf(b.tool_use_id));
    const asked = idsOf(messages[at - 1]);
    for (const [n, id] of results.entries()) {
      if (!asked.includes(id))
        found.push(
          `messages.${at}.content.${n}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      if (results.indexOf(id) !== n)
        found.push(
          `messages.${at}.content.${n}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        );
    }
    const firstOther = blocks.findIndex((b) => b.type !== "tool_result");
    const late = firstOther >= 0 && blocks.slice(firstOther).some((b) => b.type === "tool_result");
    if (asked.length > 0 && (late || unanswered(asked, results).length > 0))
      found.push(
        `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(late ? asked : unanswered(asked, results)).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    for (const [n, block] of blocks.entries()) {
      if (block.type !== "tool_use") continue;
      if (seen.has(textOf(block.id)))
        found.push(`messages.${at}.content.${n}: \`tool_use\` ids must be unique`);
      seen.add(textOf(block.id));
    }
  });
  const open = idsOf(messages.at(-1));
  if (open.length > 0)
    found.push(
      `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}.`,
    );
  return found;
}

function idsOf(message: Record<string, unknown> | undefined): string[] {
  if (message?.role !== "assistant") return [];
  return listOf(message.content)
    .filter((block) => block.type === "tool_use")
    .map((block) => textOf(block.id));
}

function unanswered(asked: string[], results: string[]): string[] {
  return asked.filter((id) => !results.includes(id));
}

/** The rules while a tool's result is being answered: tools still declared, thinking kept. */
function checkToolTurn(body: Record<string, unknown>): string[] {
  const messages = listOf(body.messages);
  const blocks = messages.flatMap((message) => listOf(message.content));
  const found: string[] = [];
  const usesTools = blocks.some((b) => b.type === "tool_use" || b.type === "tool_result");
  if (usesTools && listOf(body.tools).length === 0)
    found.push("Requests which include `tool_use` or `tool_result` blocks must define tools");
  const lastAssistant = messages.findLast((message) => message.role === "assistant");
  const first = textOf(listOf(lastAssistant?.content)[0]?.type);
  const answering = listOf(messages.at(-1)?.content).some((b) => b.type === "tool_result");
  if (objectOf(body.thinking).type === "enabled" && answering && !first.endsWith("thinking"))
    found.push(
      `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  return found;
}

function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + countMarks(one), 0);
  if (!isObject(value)) return 0;
  return (value.cache_control ? 1 : 0) + countMarks(value.content);
}
