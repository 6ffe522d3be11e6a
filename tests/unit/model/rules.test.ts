// Goal: the oracle refuses exactly what each protocol refuses.

import { expect, test } from "bun:test";
import { signThinking, validateChatRequest, validateMessagesRequest } from "../../kit/model/index.ts";

const TOOL = { name: "delegate", description: "d", input_schema: { type: "object" } };
const USE = { type: "tool_use", id: "t1", name: "delegate", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "t1", content: "done" };
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const tool = (id: string) => ({ role: "tool", tool_call_id: id, content: "done" });
const calling = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "delegate", arguments: "{}" } })),
});
const messagesBody = (messages: unknown[], more: object = {}) => ({
  model: "m",
  max_tokens: 10,
  tools: [TOOL],
  messages,
  ...more,
});
const chatBody = (messages: unknown[], more: object = {}) => ({ model: "m", messages, ...more });

test("accepts a complete tool round in both protocols", () => {
  // Goal: the oracle does not refuse what the vendors accept.
  const system = [{ type: "text", text: "be brief", cache_control: { type: "ephemeral" } }];
  const thinking = { type: "thinking", thinking: "hm", signature: signThinking("hm") };
  const asked = [user("hi"), assistant([thinking, { type: "text", text: "I ask" }, USE])];
  const messages = [...asked, user([RESULT, { type: "text", text: "and now?" }])];
  expect(validateMessagesRequest(messagesBody(messages, { system, stream: true }))).toEqual([]);
  const chat = [
    { role: "system", content: "be brief" },
    user("hi"),
    calling("call00001", "call00002"),
    tool("call00002"),
    tool("call00001"),
  ];
  expect(validateChatRequest(chatBody(chat, { stream: true, stream_options: {} }))).toEqual([]);
});

const MESSAGES_REFUSALS: [name: string, body: unknown, refusal: RegExp][] = [
  ["no max_tokens", messagesBody([user("hi")], { max_tokens: undefined }), /max_tokens: Field required/],
  ["an unknown field", messagesBody([user("hi")], { cairn: 1 }), /^cairn: Extra inputs/],
  ["no message", messagesBody([]), /at least one message/],
  ["an assistant first", messagesBody([assistant("hi"), user("hi")]), /first message must use the "user"/],
  ["an assistant last", messagesBody([user("hi"), assistant("hi")]), /must end with a user message/],
  ["a system role", messagesBody([{ role: "system", content: "x" }, user("hi")]), /Unexpected role "system"/],
  ["empty content", messagesBody([user([])]), /non-empty content/],
  ["an empty text block", messagesBody([user([{ type: "text", text: "" }])]), /must be non-empty/],
  ["a blank text block", messagesBody([user([{ type: "text", text: " " }])]), /non-whitespace/],
  [
    "a call without result",
    messagesBody([user("hi"), assistant([USE]), user("so?")]),
    /ids were found without/,
  ],
  ["an open call at the end", messagesBody([user("hi"), assistant([USE])]), /ids were found without/],
  [
    "a result a message late",
    messagesBody([user("a"), assistant([USE]), user("b"), user([RESULT])]),
    /ids were/,
  ],
  [
    "text before the result",
    messagesBody([user("a"), assistant([USE]), user([text("x"), RESULT])]),
    /without/,
  ],
  ["a result without call", messagesBody([user([RESULT])]), /unexpected `tool_use_id`/],
  ["two results of a call", messagesBody([user("a"), assistant([USE]), user([RESULT, RESULT])]), /multiple/],
  [
    "two calls of one id",
    messagesBody([user("a"), assistant([USE, USE]), user([RESULT])]),
    /ids must be unique/,
  ],
  ["an id with a dot", messagesBody([user("a"), assistant([{ ...USE, id: "a.b" }])]), /tool_use\.id: String/],
  ["input that is text", messagesBody([user("a"), assistant([{ ...USE, input: "{" }])]), /valid dictionary/],
  [
    "a changed thought",
    messagesBody([user("a"), assistant([thought("b", "a")]), user("c")]),
    /Invalid `signature`/,
  ],
  ["a tool round without tools", { ...round(), tools: undefined }, /must define tools/],
  ["two tools of one name", messagesBody([user("a")], { tools: [TOOL, TOOL] }), /names must be unique/],
  [
    "a choice without tools",
    messagesBody([user("a")], { tools: undefined, tool_choice: {} }),
    /tool_choice may/,
  ],
  [
    "five cache marks",
    messagesBody([user(Array.from({ length: 5 }, marked))]),
    /maximum of 4 blocks.*Found 5/,
  ],
  [
    "thinking past max_tokens",
    messagesBody([user("a")], { thinking: thinkingOn(), max_tokens: 9 }),
    /must be greater/,
  ],
  [
    "a tool round that lost its thought",
    { ...round(), thinking: thinkingOn(), max_tokens: 9999 },
    /Expected `thinking`/,
  ],
];

function text(value: string) {
  return { type: "text", text: value };
}
function marked() {
  return { type: "text", text: "x", cache_control: { type: "ephemeral" } };
}
function thought(shown: string, signed: string) {
  return { type: "thinking", thinking: shown, signature: signThinking(signed) };
}
function thinkingOn() {
  return { type: "enabled", budget_tokens: 2000 };
}
function round() {
  return messagesBody([user("a"), assistant([USE]), user([RESULT])]);
}

test.each(MESSAGES_REFUSALS)("Anthropic refuses %s", (_name, body, refusal) => {
  // Goal: each broken rule has the vendor's name.
  expect(validateMessagesRequest(body).join("\n")).toMatch(refusal);
});

const CHAT_REFUSALS: [name: string, body: unknown, refusal: RegExp][] = [
  ["an unknown field", chatBody([user("a")], { cairn: 1 }), /Unrecognized request argument supplied: cairn/],
  ["no message", chatBody([]), /empty array/],
  ["an unknown role", chatBody([{ role: "robot", content: "a" }]), /Invalid value: 'robot'/],
  ["null without calls", chatBody([user("a"), assistant(null)]), /expected a string, got null/],
  ["a call without result", chatBody([user("a"), calling("x", "y"), tool("x"), user("b")]), /did not.*: y$/],
  ["an open call at the end", chatBody([user("a"), calling("x")]), /did not have response messages: x/],
  ["a result without call", chatBody([user("a"), tool("x")]), /must be a response to a preceeding message/],
  ["a result twice", chatBody([user("a"), calling("x"), tool("x"), tool("x")]), /must be a response/],
  [
    "a result after a person",
    chatBody([user("a"), calling("x"), user("b"), tool("x")]),
    /must be a response/,
  ],
  ["two calls of one id", chatBody([user("a"), calling("x", "x"), tool("x")]), /Duplicate value/],
  [
    "an empty list of calls",
    chatBody([user("a"), { ...assistant("b"), tool_calls: [] }]),
    /tool_calls': empty/,
  ],
  ["an empty list of tools", chatBody([user("a")], { tools: [] }), /'tools': empty array/],
  ["a longer id of a call", chatBody([user("a"), calling("call_00001")]), /must be a-z, A-Z, 0-9/],
  [
    "a second system message",
    chatBody([{ role: "system", content: "a" }, { role: "system", content: "b" }, user("a")]),
    /System message must be at the beginning/,
  ],
  [
    "stream_options without stream",
    chatBody([user("a")], { stream_options: {} }),
    /only allowed when 'stream'/,
  ],
];

test.each(CHAT_REFUSALS)("OpenAI refuses %s", (_name, body, refusal) => {
  // Goal: each broken rule has the vendor's name.
  expect(validateChatRequest(body).join("\n")).toMatch(refusal);
});

test("refuses adjacent messages of one role only on request", () => {
  // Goal: the default follows the vendor, which merges them; `alternate` is for stricter servers.
  const body = messagesBody([user("a"), user("b")]);
  expect(validateMessagesRequest(body)).toEqual([]);
  expect(validateMessagesRequest(body, { alternate: true }).join()).toMatch(/roles must alternate/);
});
