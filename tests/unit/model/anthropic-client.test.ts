// Goal: the vendor's own client reads every kind of reply from the scripted model.

import { expect, test } from "bun:test";
import Anthropic, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import {
  call,
  errorInStream,
  httpError,
  lengthStop,
  type Reply,
  say,
  type ScriptedModel,
  signThinking,
  splitUsage,
  startModel,
  think,
  usage,
} from "../../kit/model/index.ts";

const TOKENS = { input: 100, output: 20, cached: 40, cacheWrite: 10 };
const ASK = {
  model: "boss",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "hi" }],
};

function clientOf(model: ScriptedModel): Anthropic {
  return new Anthropic({ baseURL: model.anthropicUrl, apiKey: "key", maxRetries: 0 });
}

async function bothWays(reply: Reply) {
  const model = await startModel();
  await using _ = model.reply(reply, reply);
  const client = clientOf(model);
  const streamed = await client.messages.stream(ASK).finalMessage();
  const whole = await client.messages.create(ASK);
  return { streamed, whole };
}

test("reads text and tokens, streamed and whole", async () => {
  // Goal: both forms of the answer agree, with cached tokens reported separately.
  const { streamed, whole } = await bothWays([say("Hello big world"), usage(TOKENS)]);
  for (const message of [streamed, whole]) {
    expect(message.content).toEqual([expect.objectContaining({ type: "text", text: "Hello big world" })]);
    expect(message.stop_reason).toBe("end_turn");
    expect(message.usage).toMatchObject({
      input_tokens: 50,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 10,
      output_tokens: 20,
    });
  }
});

test("reads reasoning, text and parallel calls in order", async () => {
  // Goal: blocks arrive as scripted, reasoning with its signature.
  const reply = [think("let me see"), say("I ask two"), call("a", { x: [1] }), call("b")];
  const { streamed, whole } = await bothWays(reply);
  for (const message of [streamed, whole]) {
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "let me see", signature: signThinking("let me see") },
      { type: "text", text: "I ask two" },
      { type: "tool_use", name: "a", input: { x: [1] } },
      { type: "tool_use", name: "b", input: {} },
    ]);
    expect(message.stop_reason).toBe("tool_use");
  }
});

test("reads a stop at the length limit", async () => {
  // Goal: the stop reason is the vendor's.
  const { streamed, whole } = await bothWays(lengthStop());
  expect([streamed.stop_reason, whole.stop_reason]).toEqual(["max_tokens", "max_tokens"]);
});

test("reads tokens reported only at the end", async () => {
  // Goal: the last report is the total, even if the first was empty.
  const { streamed } = await bothWays([say("hi"), splitUsage(TOKENS)]);
  expect(streamed.usage).toMatchObject({ input_tokens: 50, output_tokens: 20, cache_read_input_tokens: 40 });
});

test("raises the vendor's error for each status", async () => {
  // Goal: the client builds its own error class from the response.
  const errors = [
    [400, BadRequestError],
    [401, AuthenticationError],
    [429, RateLimitError],
    [529, InternalServerError],
  ] as const;
  for (const [status, kind] of errors) {
    await using model = await startModel();
    model.reply(httpError(status, "not now", { retryAfter: 3 }));
    const error = await clientOf(model)
      .messages.create(ASK)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).toContain("not now");
    expect((error as InstanceType<typeof kind>).headers?.get("retry-after")).toBe("3");
  }
});

test("raises an error in mid-stream", async () => {
  // Goal: the text before it is readable, then the vendor's error event is raised.
  await using model = await startModel();
  model.reply([say("some words"), errorInStream("overloaded")]);
  const stream = await clientOf(model).messages.create({ ...ASK, stream: true });
  let heard = "";
  const read = async () => {
    for await (const event of stream)
      if (event.type === "content_block_delta" && event.delta.type === "text_delta")
        heard += event.delta.text;
  };
  expect(await read().catch(String)).toContain("overloaded");
  expect(heard).toBe("some words");
});

test("is refused for a broken conversation, a wrong key, an unknown model", async () => {
  // Goal: the refusals are the vendor's, and the first is recorded as the caller's problem.
  await using model = await startModel({ key: "right" });
  model.script("boss", [say("never")]);
  expect(await clientOf(model).messages.create(ASK).catch(String)).toMatch(/401.*invalid x-api-key/);
  const client = new Anthropic({ baseURL: model.anthropicUrl, apiKey: "right", maxRetries: 0 });
  const broken = { ...ASK, messages: [{ role: "assistant" as const, content: "hi" }] };
  expect(await client.messages.create(broken).catch(String)).toMatch(/400.*first message must use/);
  expect(await client.messages.create({ ...ASK, model: "other" }).catch(String)).toMatch(/404.*model: other/);
  expect(model.problems).toEqual([expect.stringContaining("first message must use")]);
});

test("lists the scripted models", async () => {
  // Goal: a test of a provider receives models in the vendor's form.
  await using model = await startModel();
  model.script("boss", [say("hi")]).on("helper", say("ho"));
  const listed = await clientOf(model).models.list();
  expect(listed.data.map(({ id }) => id)).toEqual(["boss", "helper"]);
});
