// Goal: the AI SDK's provider packages make, replay, cancel and redirect calls to the scripted model in exactly the way documented here.

import { expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { hang, redirect, say, signThinking, startModel } from "../../kit/model/index.ts";
import { type CallOptions, languageModel, PROMPT, PROTOCOLS, TOOLS } from "./sdk.ts";

test.each(PROTOCOLS)("%s: cancels a silent call and one in mid-stream", async (protocol) => {
  // Goal: both end with an AbortError, and the provider sees the caller leave.
  await using model = await startModel();
  model.reply(hang(), [say("some words"), hang()]);
  const ask = (signal: AbortSignal) =>
    languageModel(model, protocol).doStream({ prompt: PROMPT, maxOutputTokens: 100, abortSignal: signal });
  const early = new AbortController();
  const never = ask(early.signal).then(
    () => "answered",
    (error: Error) => error.name,
  );
  await model.waitFor(1);
  early.abort();
  expect(await never).toBe("AbortError");
  const late = new AbortController();
  const { stream } = await ask(late.signal);
  const read = async () => {
    for await (const part of stream) if (part.type === "text-delta") late.abort();
  };
  expect(await read().catch((error: Error) => error.name)).toBe("AbortError");
  await model.waitFor((request) => request.number === 1 && request.state === "aborted");
  expect(model.requests.map(({ state }) => state)).toEqual(["aborted", "aborted"]);
});

test("follows a redirect and sends the key, unless the caller's fetch forbids it", async () => {
  // Goal: shows why a caller must pass its own fetch: Anthropic's key header goes to a foreign host.
  await using thief = await startModel();
  thief.reply(say("thanks"));
  await using model = await startModel();
  const elsewhere = `${thief.url}/v1/messages`;
  model.reply(redirect(elsewhere, 307), redirect(elsewhere, 307));
  const settings = { baseURL: model.openaiUrl, apiKey: "sk-canary-0001" };
  const { stream } = await createAnthropic(settings).languageModel("boss").doStream({ prompt: PROMPT });
  for await (const _ of stream);
  expect(thief.requests.map((request) => request.headers["x-api-key"])).toEqual(["sk-canary-0001"]);
  const careful = (url: unknown, init?: RequestInit) => fetch(url as string, { ...init, redirect: "manual" });
  const provider = createAnthropic({ ...settings, fetch: careful as typeof fetch });
  const refused = await provider
    .languageModel("boss")
    .doStream({ prompt: PROMPT })
    .then(
      () => "answered",
      (error: unknown) => error,
    );
  expect(refused).toMatchObject({ name: "AI_APICallError", statusCode: 307, isRetryable: false });
  expect(thief.requests).toHaveLength(1);
});

const REPLAY: CallOptions["prompt"] = [
  {
    role: "system",
    content: "be brief",
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
  },
  { role: "user", content: [{ type: "text", text: "hi" }] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: signThinking("hm") } } },
      { type: "text", text: "I ask" },
      { type: "tool-call", toolCallId: "t1", toolName: "a", input: { x: 1 } },
      { type: "tool-call", toolCallId: "t2", toolName: "b", input: '{"x": ' },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "t1", toolName: "a", output: { type: "text", value: "one" } },
      { type: "tool-result", toolCallId: "t2", toolName: "b", output: { type: "error-text", value: "two" } },
    ],
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
  },
  { role: "user", content: [{ type: "text", text: "and now?" }] },
];

test.each(PROTOCOLS)("%s: replays a conversation validly and unchanged", async (protocol) => {
  // Goal: reasoning, broken arguments and errors survive the replay; both requests pass the oracle.
  await using model = await startModel();
  model.reply(say("done"));
  const options = { prompt: REPLAY, tools: TOOLS, maxOutputTokens: 100 };
  const { stream, request } = await languageModel(model, protocol).doStream(options);
  for await (const _ of stream);
  const [got] = model.requests;
  expect(got?.raw).toEqual(JSON.parse(JSON.stringify(request?.body)));
  expect(got?.problems).toEqual([]);
  const broken = protocol === "anthropic" ? { rawInvalidInput: '{"x": ' } : '{"x": ';
  expect(got).toMatchObject({
    protocol,
    model: "boss",
    system: "be brief",
    messages: [
      { role: "user", text: "hi" },
      {
        role: "assistant",
        text: "I ask",
        reasoning: "hm",
        calls: [
          { id: "t1", name: "a", args: { x: 1 } },
          { id: "t2", name: "b", args: broken },
        ],
      },
      {
        role: "user",
        text: "and now?",
        results: [
          { id: "t1", text: "one" },
          { id: "t2", text: "two", error: protocol === "anthropic" },
        ],
      },
    ],
    tools: [{ name: "a" }, { name: "b" }],
  });
});

test("sets cache marks where the provider options say", async () => {
  // Goal: the mark is on a system message's block, and on a tool message's last result.
  await using model = await startModel();
  model.reply(say("done"));
  const { stream } = await languageModel(model, "anthropic").doStream({ prompt: REPLAY, tools: TOOLS });
  for await (const _ of stream);
  const mark = { cache_control: { type: "ephemeral" } };
  expect(model.requests[0]?.raw).toMatchObject({
    system: [{ text: "be brief", ...mark }],
    messages: [
      {},
      {},
      { content: [{ tool_use_id: "t1" }, { tool_use_id: "t2", ...mark }, { text: "and now?" }] },
    ],
  });
});
