// Goal: requests equal those of the protocol packages, except for the deliberate differences named here.

import { describe, expect, test } from "bun:test";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { validateChatRequest, validateMessagesRequest } from "../../kit/model/index.ts";
import type { ModelEndpoint } from "../../../src/service/catalog/models.ts";
import { chatBody } from "../../../src/service/llm/chat-request.ts";
import { messagesBody } from "../../../src/service/llm/messages-request.ts";
import type { ModelRequest } from "../../../src/service/llm/model.ts";
import { modelOver } from "./oracle.ts";

/** The only ids of tool calls that every provider accepts. */
const NINE = /^[a-zA-Z0-9]{9}$/;
const CACHE_MARK = { anthropic: { cacheControl: { type: "ephemeral" } } };
const TOOLS = [
  {
    name: "a",
    description: "does a",
    parameters: { type: "object", properties: { x: { type: "integer" } } },
  },
];

const REQUEST: ModelRequest = {
  system: ["You are brief.", "House rules."],
  mayCall: true,
  tools: TOOLS,
  messages: [
    { role: "user", text: "hi" },
    {
      role: "assistant",
      text: "I ask",
      calls: [
        { id: "call00001", name: "a", arguments: '{"x":1}' },
        { id: "call00002", name: "a", arguments: '{"x": ' },
      ],
    },
    { role: "tool", callId: "call00001", tool: "a", text: "one", failed: false },
    { role: "tool", callId: "call00002", tool: "a", text: "two", failed: true },
    { role: "user", text: "and?" },
    { role: "assistant", text: "so", calls: [] },
    { role: "user", text: "go on" },
  ],
};

/** `REQUEST` in the form of the packages. */
const PROMPT: LanguageModelV4Prompt = [
  { role: "system", content: "You are brief." },
  { role: "system", content: "House rules.", providerOptions: CACHE_MARK },
  { role: "user", content: [{ type: "text", text: "hi" }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I ask" },
      { type: "tool-call", toolCallId: "call00001", toolName: "a", input: { x: 1 } },
      { type: "tool-call", toolCallId: "call00002", toolName: "a", input: { invalid_arguments: '{"x": ' } },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "call00001", toolName: "a", output: { type: "text", value: "one" } },
      {
        type: "tool-result",
        toolCallId: "call00002",
        toolName: "a",
        output: { type: "error-text", value: "two" },
      },
    ],
  },
  { role: "user", content: [{ type: "text", text: "and?" }] },
  { role: "assistant", content: [{ type: "text", text: "so" }] },
  { role: "user", content: [{ type: "text", text: "go on" }], providerOptions: CACHE_MARK },
];

function endpoint(protocol: ModelEndpoint["protocol"], modelName = "m", outputTokens: number | null = null) {
  return { protocol, modelName, outputTokens } as ModelEndpoint;
}

/** Returns the body and headers that a package sends. */
async function theirs(
  protocol: ModelEndpoint["protocol"],
  modelName: string,
  outputTokens: number | null,
  mayCall = true,
) {
  let sent: { body: Record<string, unknown>; headers: Headers } | undefined;
  const fetch = (_: string, init: RequestInit) => {
    sent = { body: JSON.parse(String(init.body)), headers: new Headers(init.headers) };
    return Promise.reject(new Error("sent"));
  };
  const asked = modelOver(protocol, fetch as never, modelName).doStream({
    prompt: PROMPT,
    tools: TOOLS.map(({ parameters, ...tool }) => ({
      type: "function" as const,
      ...tool,
      inputSchema: parameters as { type: "object" },
    })),
    toolChoice: { type: mayCall ? "auto" : "none" },
    ...(outputTokens === null ? {} : { maxOutputTokens: outputTokens }),
  });
  await Promise.resolve(asked).catch(() => {});
  return sent!;
}

describe.each([true, false])("tools may be called: %p", (mayCall) => {
  test("sends the package's body to the Messages API, without eager input streaming", async () => {
    const { body } = await theirs("anthropic", "m", 77, mayCall);
    for (const tool of body["tools"] as Record<string, unknown>[]) delete tool["eager_input_streaming"];
    const own = messagesBody(endpoint("anthropic", "m", 77), { ...REQUEST, mayCall });
    expect(own).toEqual(body);
    expect(validateMessagesRequest(own, { alternate: true })).toEqual([]);
  });

  test("sends the package's body to the Chat Completions API, with one system message", async () => {
    const { body } = await theirs("openai-compatible", "m", 77, mayCall);
    const [role, rules, ...rest] = body["messages"] as { content: string }[];
    body["messages"] = [{ ...role, content: `${role!.content}\n\n${rules!.content}` }, ...rest];
    const own = chatBody(endpoint("openai-compatible", "m", 77), { ...REQUEST, mayCall });
    expect(own).toEqual(body);
    expect(validateChatRequest(own as Record<string, unknown>)).toEqual([]);
  });
});

test("uses the package's output limit of each model", async () => {
  const names = [
    "claude-opus-5-5",
    "claude-sonnet-5-20270101",
    "claude-haiku-5-5",
    "claude-fable-5-2",
    "claude-opus-4-8",
    "claude-sonnet-4-6",
    "anthropic/claude-haiku-4-5-20251001",
    "claude-opus-4-1-20250805",
    "claude-opus-4-20250514",
    "claude-sonnet-4@20250514",
    "claude-3-haiku-20240307",
    "claude-3-7-sonnet-20250219",
    "claude-2.1",
    "claude-instant-1.2",
    "claude-next",
    "minimax-m2",
  ];
  for (const name of names) {
    for (const wanted of [null, 1_000, 1_000_000]) {
      const { body } = await theirs("anthropic", name, wanted);
      const own = messagesBody(endpoint("anthropic", name, wanted), REQUEST);
      expect({ name, wanted, ...own }).toMatchObject({ name, wanted, max_tokens: body["max_tokens"] });
    }
  }
});

test("sends plain strings to OpenAI-compatible servers, with adjacent messages joined", () => {
  const body = chatBody(endpoint("openai-compatible"), {
    ...REQUEST,
    tools: [],
    messages: [
      { role: "user", text: "one" },
      { role: "user", text: "two" },
      { role: "assistant", text: "three", calls: [] },
      { role: "assistant", text: "", calls: [{ id: "call_00001", name: "a", arguments: "{}" }] },
      { role: "tool", callId: "call_00001", tool: "a", text: "four", failed: false },
      { role: "user", text: "five" },
    ],
  });
  expect(body).toEqual({
    model: "m",
    messages: [
      { role: "system", content: "You are brief.\n\nHouse rules." },
      { role: "user", content: "one\n\ntwo" },
      {
        role: "assistant",
        content: "three",
        tool_calls: [
          { id: expect.stringMatching(NINE), type: "function", function: { name: "a", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: expect.stringMatching(NINE), content: "four" },
      { role: "user", content: "five" },
    ],
    stream: true,
    stream_options: { include_usage: true },
  });
});
