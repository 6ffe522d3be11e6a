// Goal: every answer that we read and the protocol packages refuse or read differently is listed here, with both results.

import { expect, test } from "bun:test";
import type { Protocol } from "../../../src/service/catalog/schema.ts";
import { ours, piecesOf, theirs } from "./oracle.ts";

interface Difference {
  readonly name: string;
  readonly protocol: Protocol;
  readonly events: readonly unknown[];
  /** Replaces `events`, to test the format itself. */
  readonly body?: string;
  readonly ours: object;
  readonly theirs: object;
}

const chat = "openai-compatible";
const delta = (fields: object, finish: string | null = null) => ({
  choices: [{ delta: fields, finish_reason: finish }],
});
const toolCall = (fields: object) => delta({ tool_calls: [fields] });
const stop = { choices: [{ delta: {}, finish_reason: "stop" }] };
const calls = { choices: [{ delta: {}, finish_reason: "tool_calls" }] };
const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 5, output_tokens: 1 } } };
const block = (content_block: object, index = 0) => ({ type: "content_block_start", index, content_block });
const textDelta = (text: string, index = 0) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const stopBlock = (index = 0) => ({ type: "content_block_stop", index });
const messageEnd = (usage?: object, stop_reason = "end_turn") => [
  { type: "message_delta", delta: { stop_reason }, ...(usage === undefined ? {} : { usage }) },
  { type: "message_stop" },
];
const hello = [start, block({ type: "text", text: "" }), textDelta("hello"), stopBlock()];

const DIFFERENCES: Difference[] = [
  {
    name: "keeps input tokens reported in a different chunk than output tokens",
    protocol: chat,
    events: [
      { ...delta({ content: "a" }), usage: { prompt_tokens: 7 } },
      { ...stop, usage: { completion_tokens: 3 } },
    ],
    ours: { input: 7, output: 3 },
    theirs: { input: 0, output: 3 },
  },
  {
    name: "passes on a call without a name, for the tool registry to refuse",
    protocol: chat,
    events: [toolCall({ index: 0, id: "c", function: { arguments: "{}" } }), calls],
    ours: { calls: [{ name: "", arguments: "{}" }], finish: "calls" },
    theirs: { failed: "Expected 'function.name' to be a string." },
  },
  {
    name: "ignores fields of unexpected types",
    protocol: chat,
    events: [
      delta({ role: "model", content: "a", refusal: false, reasoning: 5 }),
      { ...stop, usage: "none" },
    ],
    ours: { text: "a", finish: "stop" },
    theirs: { failed: expect.stringContaining("Type validation failed") },
  },
  {
    name: "ignores events without choices",
    protocol: chat,
    events: [{ event: "queued" }, delta({ content: "a" }), stop],
    ours: { text: "a", finish: "stop" },
    theirs: { failed: expect.stringContaining("Type validation failed") },
  },
  {
    name: "shows an error sent as a text",
    protocol: chat,
    events: [delta({ content: "a" }), { error: "overloaded" }],
    ours: { failed: "the provider sent something other than an answer", text: "a" },
    theirs: { failed: expect.stringContaining("Type validation failed"), text: "a" },
  },
  {
    name: "accepts a last event without a blank line",
    protocol: chat,
    events: [],
    body: `data: ${JSON.stringify(delta({ content: "a" }))}\n\ndata: ${JSON.stringify(stop)}`,
    ours: { text: "a", finish: "stop" },
    theirs: { text: "a", finish: "cut" },
  },
  {
    name: "accepts a message without usage, with unknown tokens",
    protocol: "anthropic",
    events: [{ type: "message_start", message: { id: "m" } }, ...hello.slice(1), ...messageEnd()],
    ours: { text: "hello", finish: "stop", input: undefined, output: undefined },
    theirs: { failed: "Expected a normalized Anthropic stream error" },
  },
  {
    name: "keeps text in the start of a block",
    protocol: "anthropic",
    events: [
      start,
      block({ type: "text", text: "hel" }),
      textDelta("lo"),
      stopBlock(),
      ...messageEnd({ output_tokens: 2 }),
    ],
    ours: { text: "hello" },
    theirs: { text: "lo" },
  },
  {
    name: "accepts a call without an id",
    protocol: "anthropic",
    events: [
      start,
      block({ type: "tool_use", name: "x", input: {} }),
      stopBlock(),
      ...messageEnd({ output_tokens: 2 }, "tool_use"),
    ],
    ours: { calls: [{ name: "x", arguments: "{}" }], finish: "calls" },
    theirs: { failed: expect.any(String) },
  },
  {
    name: "ignores events and blocks of unknown types",
    protocol: "anthropic",
    events: [
      ...hello,
      { type: "weather" },
      block({ type: "hologram" }, 1),
      ...messageEnd({ output_tokens: 2 }),
    ],
    ours: { text: "hello", finish: "stop" },
    theirs: { failed: expect.stringContaining("Type validation failed") },
  },
  {
    name: "accepts a stop reason without the event that ends the message",
    protocol: "anthropic",
    events: [...hello, messageEnd({ output_tokens: 2 })[0]],
    ours: { text: "hello", finish: "stop", output: 2 },
    theirs: { text: "hello", finish: "cut", output: undefined },
  },
];

test.each(DIFFERENCES)("$protocol: $name", async (difference) => {
  const { protocol, events } = difference;
  const body = difference.body ?? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  expect(await ours(protocol, piecesOf(body))).toMatchObject(difference.ours);
  expect(await theirs(protocol, piecesOf(body))).toMatchObject(difference.theirs);
});

test.each([
  [
    "an event that is not JSON",
    "data: {\n\n",
    "the provider's answer violates its protocol: an event is not a JSON object",
  ],
  [
    "an event that is no object",
    "data: 1\n\n",
    "the provider's answer violates its protocol: an event is not a JSON object",
  ],
  [
    "choices of another shape",
    'data: {"choices":{}}\n\n',
    "the provider's answer violates its protocol: its choices are not a list",
  ],
  [
    "another protocol",
    'data: {"type":"message_start"}\n\n',
    "the provider's answer violates its protocol: none of its events belongs to this protocol",
  ],
])("reports an unreadable answer: %s", async (_, body, failed) => {
  expect(await ours(chat, piecesOf(body))).toEqual({ failed, text: "" });
});

test("keeps complete calls of an answer without a finish reason, and names incomplete ones", async () => {
  const events = [
    toolCall({ index: 0, id: "c", function: { name: "x", arguments: "{}" } }),
    toolCall({ index: 1, id: "d", function: { name: "y", arguments: '{"a' } }),
  ];
  expect(
    await ours(chat, piecesOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""))),
  ).toMatchObject({
    finish: "cut",
    calls: [
      { name: "x", arguments: "{}" },
      { name: "y", arguments: "(dropped)" },
    ],
  });
});
