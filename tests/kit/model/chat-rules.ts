// The refusals of the OpenAI Chat Completions API, as a pure function of the request body: the
// other half of the oracle "this conversation is valid". Worded as the vendor words it.
// Sources: the API reference (developers.openai.com) and the 400s people have reported.
// Stricter than the vendor where servers of this protocol are: a call's id may not come twice in a
// conversation and has nine letters and digits, and only the first message is a system message.

import { mediaTypeOf } from "./messages-rules.ts";
import { isObject, listOf, objectOf, textOf } from "./conversation.ts";

const FIELDS = new Set(
  "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options".split(
    " ",
  ),
);
const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];
const CALL_ID = /^[a-zA-Z0-9]{9}$/;
const TOOLS_MAX = 128;

/** Every reason to refuse this body; empty when it is valid. */
export function validateChatRequest(body: unknown): string[] {
  if (!isObject(body)) return ["We could not parse the JSON body of your request."];
  const found = Object.keys(body)
    .filter((field) => !FIELDS.has(field) && body[field] !== undefined)
    .map((field) => `Unrecognized request argument supplied: ${field}`);
  if (textOf(body.model) === "") found.push("you must provide a model parameter");
  if (isGiven(body.stream_options) && body.stream !== true)
    found.push("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  if (isGiven(body.max_tokens) && isGiven(body.max_completion_tokens))
    found.push("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
  found.push(...checkTools(body));
  if (!Array.isArray(body.messages)) return [...found, "Missing required parameter: 'messages'."];
  if (body.messages.length === 0)
    found.push(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    );
  body.messages.forEach((message, at) => found.push(...checkMessage(objectOf(message), at)));
  found.push(...checkPairs(body.messages.map(objectOf)));
  return found;
}

function checkTools(body: Record<string, unknown>): string[] {
  if (!isGiven(body.tools)) {
    return !isGiven(body.tool_choice) || body.tool_choice === "none"
      ? []
      : ["'tool_choice' is only allowed when 'tools' are specified."];
  }
  if (!Array.isArray(body.tools) || body.tools.length === 0)
    return [
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ];
  const found: string[] = [];
  if (body.tools.length > TOOLS_MAX)
    found.push(`Invalid 'tools': array too long. Expected an array with maximum length ${TOOLS_MAX}.`);
  const names = new Set<string>();
  body.tools.forEach((given, at) => {
    const tool = objectOf(given);
    const described = objectOf(tool.function);
    const name = textOf(described.name);
    if (tool.type !== "function") found.push(`Missing required parameter: 'tools[${at}].type'.`);
    found.push(...checkName(name, `tools[${at}].function.name`));
    if (names.has(name)) found.push(`Invalid 'tools[${at}].function.name': duplicate name '${name}'.`);
    names.add(name);
    if (described.parameters !== undefined && objectOf(described.parameters).type !== "object")
      found.push(`Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`);
  });
  const forced = textOf(objectOf(objectOf(body.tool_choice).function).name);
  if (forced !== "" && !names.has(forced))
    found.push(`Invalid value for 'tool_choice': '${forced}' is not one of the tools.`);
  return found;
}

function checkName(name: string, where: string): string[] {
  if (name.length > 64)
    return [`Invalid '${where}': string too long. Expected a string with maximum length 64.`];
  return /^[a-zA-Z0-9_-]+$/.test(name)
    ? []
    : [
        `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      ];
}

function checkMessage(message: Record<string, unknown>, at: number): string[] {
  const { role, content } = message;
  if (!ROLES.includes(textOf(role)))
    return [
      `Invalid value: '${textOf(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
    ];
  const found = role === "system" && at > 0 ? ["System message must be at the beginning."] : [];
  if (content === null || content === undefined) {
    const called = role === "assistant" && listOf(message.tool_calls).length > 0;
    if (!called)
      found.push(`Invalid value for 'content': expected a string, got null. (messages[${at}].content)`);
  } else if (Array.isArray(content)) {
    if (content.length === 0)
      found.push(
        `Invalid 'messages[${at}].content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      );
    content.forEach((part, n) =>
      found.push(...checkPart(objectOf(part), textOf(role), `messages[${at}].content[${n}]`)),
    );
  } else if (typeof content !== "string") {
    found.push(`Invalid type for 'messages[${at}].content': expected one of a string or array of objects.`);
  }
  if (role === "tool" && textOf(message.tool_call_id) === "")
    found.push(`Missing required parameter: 'messages[${at}].tool_call_id'.`);
  if (message.tool_calls !== undefined) found.push(...checkCalls(message, at));
  return found;
}

/** Text everywhere; images and PDFs of a user, as data URLs whose bytes are what they say. */
function checkPart(part: Record<string, unknown>, role: string, where: string): string[] {
  const type = textOf(part.type);
  if (type === "text")
    return typeof part.text === "string" ? [] : [`Missing required parameter: '${where}.text'.`];
  const isKnown = type === "image_url" || type === "file";
  if (!isKnown || role !== "user")
    return [`Invalid value: '${type}'. Supported values are: 'text'. (${where}.type)`];
  const file = objectOf(part.file);
  const url = type === "file" ? textOf(file.file_data) : textOf(objectOf(part.image_url).url);
  if (type === "file" && textOf(file.filename) === "")
    return [`Missing required parameter: '${where}.file.filename'.`];
  const [, media = "", data = ""] = /^data:([a-z]+\/[a-z]+);base64,(.+)$/.exec(url) ?? [];
  const allowed = type === "file" ? /^application\/pdf$/ : /^image\/(?:png|jpeg|gif|webp)$/;
  if (!allowed.test(media))
    return [`Invalid '${where}': expected a base64 data URL with a supported MIME type.`];
  return mediaTypeOf(Buffer.from(data, "base64")) === media
    ? []
    : [`Invalid '${where}': the data is not ${media}.`];
}

function checkCalls(message: Record<string, unknown>, at: number): string[] {
  const calls = message.tool_calls;
  if (message.role !== "assistant")
    return [`Invalid parameter: 'messages[${at}].tool_calls' is only allowed with role 'assistant'.`];
  if (!Array.isArray(calls) || calls.length === 0)
    return [
      `Invalid 'messages[${at}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    ];
  return calls.flatMap((given, n) => {
    const where = `messages[${at}].tool_calls[${n}]`;
    const asked = objectOf(given);
    const called = objectOf(asked.function);
    const found = checkName(textOf(called.name), `${where}.function.name`);
    if (asked.type !== "function") found.push(`Missing required parameter: '${where}.type'.`);
    if (textOf(asked.id) === "") found.push(`Missing required parameter: '${where}.id'.`);
    else if (!CALL_ID.test(textOf(asked.id)))
      found.push(`Tool call id was ${textOf(asked.id)} but must be a-z, A-Z, 0-9, with a length of 9.`);
    if (typeof called.arguments !== "string")
      found.push(`Missing required parameter: '${where}.function.arguments'.`);
    return found;
  });
}

/** After an assistant message with calls come the tool messages for all of them, at once. */
function checkPairs(messages: Record<string, unknown>[]): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  let waiting: string[] = [];
  messages.forEach((message, at) => {
    const id = textOf(message.tool_call_id);
    if (message.role === "tool") {
      if (waiting.includes(id)) waiting = waiting.filter((other) => other !== id);
      else
        found.push(
          `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${at}])`,
        );
      return;
    }
    found.push(...checkAnswered(waiting));
    waiting = listOf(message.tool_calls).map((asked) => textOf(asked.id));
    for (const asked of waiting) {
      if (seen.has(asked)) found.push(`Duplicate value for 'tool_call_id' of '${asked}' in message[${at}].`);
      seen.add(asked);
    }
  });
  return [...found, ...checkAnswered(waiting)];
}

function checkAnswered(waiting: string[]): string[] {
  return waiting.length === 0
    ? []
    : [
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${waiting.join(", ")}`,
      ];
}

/** This API takes null for "not given" in most fields. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
