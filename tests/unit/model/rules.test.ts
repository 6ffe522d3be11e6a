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

const THINKING = { type: "enabled", budget_tokens: 2000 };

type Refused = [name: string, messages: unknown[], refusal: RegExp, more?: object];

const ROUND = [user("a"), assistant([USE]), user([RESULT])];
const MESSAGES_REFUSALS: Refused[] = [
  ["no max_tokens", [user("hi")], /max_tokens: Field required/, { max_tokens: undefined }],
  ["an unknown field", [user("hi")], /^cairn: Extra inputs/, { cairn: 1 }],
  ["no message", [], /at least one message/],
  ["an assistant first", [assistant("hi"), user("hi")], /first message must use the "user"/],
  ["an assistant last", [user("hi"), assistant("hi")], /must end with a user message/],
  ["a system role", [{ role: "system", content: "x" }, user("hi")], /Unexpected role "system"/],
  ["empty content", [user([])], /non-empty content/],
  ["an empty text block", [user([text("")])], /must be non-empty/],
  ["a blank text block", [user([text(" ")])], /non-whitespace/],
  ["a call without result", [user("hi"), assistant([USE]), user("so?")], /ids were found without/],
  ["an open call at the end", [user("hi"), assistant([USE])], /ids were found without/],
  ["a result a message late", [user("a"), assistant([USE]), user("b"), user([RESULT])], /ids were/],
  ["text before the result", [user("a"), assistant([USE]), user([text("x"), RESULT])], /without/],
  ["a result without call", [user([RESULT])], /unexpected `tool_use_id`/],
  ["two results of a call", [user("a"), assistant([USE]), user([RESULT, RESULT])], /multiple/],
  ["two calls of one id", [user("a"), assistant([USE, USE]), user([RESULT])], /ids must be unique/],
  ["an id with a dot", [user("a"), assistant([{ ...USE, id: "a.b" }])], /tool_use\.id: String/],
  ["input that is text", [user("a"), assistant([{ ...USE, input: "{" }])], /valid dictionary/],
  ["a changed thought", [user("a"), assistant([thought("b", "a")]), user("c")], /Invalid `signature`/],
  ["a tool round without tools", ROUND, /must define tools/, { tools: undefined }],
  ["two tools of one name", [user("a")], /names must be unique/, { tools: [TOOL, TOOL] }],
  ["a choice without tools", [user("a")], /tool_choice may/, { tools: undefined, tool_choice: {} }],
  ["five cache marks", [user(Array.from({ length: 5 }, marked))], /maximum of 4 blocks.*Found 5/],
  ["thinking past max_tokens", [user("a")], /must be greater/, { thinking: THINKING, max_tokens: 9 }],
  [
    "a tool round that lost its thought",
    ROUND,
    /Expected `thinking`/,
    { thinking: THINKING, max_tokens: 9999 },
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

test.each(MESSAGES_REFUSALS)("Anthropic refuses %s", (_, messages, refusal, more = {}) => {
  // Goal: each broken rule has the vendor's name.
  expect(validateMessagesRequest(messagesBody(messages, more)).join("\n")).toMatch(refusal);
});

const SYSTEM = { role: "system", content: "a" };
const CHAT_REFUSALS: Refused[] = [
  ["an unknown field", [user("a")], /Unrecognized request argument supplied: cairn/, { cairn: 1 }],
  ["no message", [], /empty array/],
  ["an unknown role", [{ role: "robot", content: "a" }], /Invalid value: 'robot'/],
  ["null without calls", [user("a"), assistant(null)], /expected a string, got null/],
  ["a call without result", [user("a"), calling("x", "y"), tool("x"), user("b")], /did not.*: y$/],
  ["an open call at the end", [user("a"), calling("x")], /did not have response messages: x/],
  ["a result without call", [user("a"), tool("x")], /must be a response to a preceeding message/],
  ["a result twice", [user("a"), calling("x"), tool("x"), tool("x")], /must be a response/],
  ["a result after a person", [user("a"), calling("x"), user("b"), tool("x")], /must be a response/],
  ["two calls of one id", [user("a"), calling("x", "x"), tool("x")], /Duplicate value/],
  ["an empty list of calls", [user("a"), { ...assistant("b"), tool_calls: [] }], /tool_calls': empty/],
  ["an empty list of tools", [user("a")], /'tools': empty array/, { tools: [] }],
  ["a longer id of a call", [user("a"), calling("call_00001")], /must be a-z, A-Z, 0-9/],
  ["a second system message", [SYSTEM, SYSTEM, user("a")], /System message must be at the beginning/],
  ["stream_options without stream", [user("a")], /only allowed when 'stream'/, { stream_options: {} }],
];

test.each(CHAT_REFUSALS)("OpenAI refuses %s", (_, messages, refusal, more = {}) => {
  // Goal: each broken rule has the vendor's name.
  expect(validateChatRequest(chatBody(messages, more)).join("\n")).toMatch(refusal);
});

test("refuses adjacent messages of one role only on request", () => {
  // Goal: the default follows the vendor, which merges them; `alternate` is for stricter servers.
  const body = messagesBody([user("a"), user("b")]);
  expect(validateMessagesRequest(body)).toEqual([]);
  expect(validateMessagesRequest(body, { alternate: true }).join()).toMatch(/roles must alternate/);
});
