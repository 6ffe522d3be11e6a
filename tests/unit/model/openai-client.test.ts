// Goal: the vendor's own client reads every kind of reply from the scripted model.

import { expect, test } from "bun:test";
import OpenAI, { AuthenticationError, BadRequestError, InternalServerError, RateLimitError } from "openai";
import {
  call,
  callRaw,
  errorInStream,
  httpError,
  lengthStop,
  noUsage,
  type Reply,
  repeatedUsage,
  say,
  type ScriptedModel,
  startModel,
  think,
  together,
  usage,
} from "../../kit/model/index.ts";

const TOKENS = { input: 100, output: 20, cached: 40, reasoning: 5 };
const ASK = { model: "boss", messages: [{ role: "user" as const, content: "hi" }] };

function clientOf(model: ScriptedModel): OpenAI {
  return new OpenAI({ baseURL: model.openaiUrl, apiKey: "key", maxRetries: 0 });
}

async function bothWays(reply: Reply) {
  const model = await startModel();
  await using _ = model.reply(reply, reply);
  const client = clientOf(model);
  const options = { ...ASK, stream_options: { include_usage: true } };
  const streamed = await client.chat.completions.stream(options).finalChatCompletion();
  const whole = await client.chat.completions.create(ASK);
  return { streamed, whole };
}

test("reads text and tokens, streamed and whole", async () => {
  // Goal: both forms of the answer agree, with cached tokens as part of the prompt's.
  const { streamed, whole } = await bothWays([say("Hello big world"), usage(TOKENS)]);
  for (const completion of [streamed, whole]) {
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "Hello big world" },
    });
    expect(completion.usage).toEqual({
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
  }
});

const CALLS: [name: string, reply: Reply][] = [
  ["one after the other", [say("I ask two"), call("a", { x: [1] }), call("b")]],
  ["text and calls in one chunk", [together("I ask two", call("a", { x: [1] }), call("b"))]],
  [
    "each in one chunk",
    [say("I ask two"), call("a", { x: [1] }, { fragments: 0 }), callRaw("b", "{}", { fragments: 0 })],
  ],
];

test.each(CALLS)("reads parallel calls, %s", async (_name, reply) => {
  // Goal: however the calls are split, they arrive complete and with the text.
  const { streamed, whole } = await bothWays(reply);
  for (const completion of [streamed, whole]) {
    expect(completion.choices[0]?.finish_reason).toBe("tool_calls");
    expect(completion.choices[0]?.message).toMatchObject({
      content: "I ask two",
      tool_calls: [
        { type: "function", function: { name: "a", arguments: '{"x":[1]}' } },
        { type: "function", function: { name: "b", arguments: "{}" } },
      ],
    });
  }
});

test("reads reasoning beside the text", async () => {
  // Goal: reasoning is in its own field, as compatible servers send it.
  const { whole } = await bothWays([think("let me see"), say("done")]);
  expect(whole.choices[0]?.message).toMatchObject({ content: "done", reasoning_content: "let me see" });
});

test("reads a stop at the length limit", async () => {
  // Goal: a stream with an incomplete call raises the client's own length error; the whole form shows the reason.
  await using model = await startModel();
  model.reply(lengthStop({ withHalfCall: true }), lengthStop({ withHalfCall: true }));
  const whole = await clientOf(model).chat.completions.create(ASK);
  expect(whole.choices[0]).toMatchObject({
    finish_reason: "length",
    message: { tool_calls: [{ function: { arguments: '{"agent":"research' } }] },
  });
  const chunks = await clientOf(model).chat.completions.create({ ...ASK, stream: true });
  const reasons = [];
  for await (const chunk of chunks) reasons.push(chunk.choices[0]?.finish_reason);
  expect(reasons.filter(Boolean)).toEqual(["length"]);
});

test("receives tokens only on request, or if the server ignores the request", async () => {
  // Goal: no usage without include_usage; a repeated report grows to the correct total.
  await using model = await startModel();
  model.reply(say("a b"), [say("a b"), noUsage()], [say("a b c"), repeatedUsage(TOKENS)]);
  const completions = clientOf(model).chat.completions;
  const reports: (number | undefined)[][] = [];
  for (const options of [{}, { stream_options: { include_usage: true } }, {}]) {
    const outputs = [];
    for await (const chunk of await completions.create({ ...ASK, ...options, stream: true }))
      if (chunk.usage) outputs.push(chunk.usage.completion_tokens);
    reports.push(outputs);
  }
  expect(reports).toEqual([[], [], [1, 2, 3, 20]]);
});

test("raises the vendor's error for each status", async () => {
  // Goal: the client builds its own error class from the response.
  const errors = [
    [400, BadRequestError],
    [401, AuthenticationError],
    [429, RateLimitError],
    [500, InternalServerError],
  ] as const;
  for (const [status, kind] of errors) {
    await using model = await startModel();
    model.reply(httpError(status, "not now", { retryAfter: 3 }));
    const error = await clientOf(model)
      .chat.completions.create(ASK)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).toContain("not now");
  }
});

test("raises an error in mid-stream", async () => {
  // Goal: the text before it is readable, then the error is raised.
  await using model = await startModel();
  model.reply([say("some words"), errorInStream("overloaded")]);
  const stream = await clientOf(model).chat.completions.create({ ...ASK, stream: true });
  let heard = "";
  const read = async () => {
    for await (const chunk of stream) heard += chunk.choices[0]?.delta.content ?? "";
  };
  expect(await read().catch(String)).toContain("overloaded");
  expect(heard).toBe("some words");
});

test("is refused for a broken conversation, a wrong key, an unknown model", async () => {
  // Goal: the refusals are the vendor's, and the first is recorded as the caller's problem.
  await using model = await startModel({ key: "right" });
  model.script("boss", [say("never")]);
  expect(await clientOf(model).chat.completions.create(ASK).catch(String)).toMatch(/401 Incorrect API key/);
  const { completions } = new OpenAI({ baseURL: model.openaiUrl, apiKey: "right", maxRetries: 0 }).chat;
  const broken = { ...ASK, messages: [{ role: "tool" as const, tool_call_id: "x", content: "?" }] };
  expect(await completions.create(broken).catch(String)).toMatch(/400.*preceeding message with 'tool_calls'/);
  expect(await completions.create({ ...ASK, model: "other" }).catch(String)).toMatch(
    /404.*`other` does not exist/,
  );
  expect(model.problems).toEqual([expect.stringContaining("preceeding message")]);
});

test("lists the scripted models", async () => {
  // Goal: a test of a provider receives models in the vendor's form.
  await using model = await startModel();
  model.script("boss", [say("hi")]).on("helper", say("ho"));
  const listed = await clientOf(model).models.list();
  expect(listed.data.map(({ id }) => id)).toEqual(["boss", "helper"]);
});
