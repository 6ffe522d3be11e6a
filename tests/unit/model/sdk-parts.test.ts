// Goal: these versions of the AI SDK's provider packages yield exactly these parts from `doStream`; an upgrade that changes them fails here.

import { expect, test } from "bun:test";
import {
  call,
  callRaw,
  cut,
  emptyAnswer,
  endEarly,
  errorInStream,
  gate,
  lengthStop,
  noUsage,
  type Protocol,
  repeatedUsage,
  type Reply,
  say,
  signThinking,
  splitUsage,
  startModel,
  type Step,
  think,
  together,
  usage,
} from "../../kit/model/index.ts";
import { type CallOptions, languageModel, PROMPT, PROTOCOLS, TOOLS } from "./sdk.ts";

const TOKENS = { input: 100, output: 20, cached: 40, cacheWrite: 10, reasoning: 5 };
type Part = { type: string } & Record<string, unknown>;

/** All parts of an answer, and the failure that ended it, if any. */
async function partsOf(protocol: Protocol, reply: Reply, options: Partial<CallOptions> = {}) {
  await using model = await startModel();
  model.reply(reply);
  const parts: Part[] = [];
  let failure: unknown;
  try {
    const asked = { prompt: PROMPT, tools: TOOLS, maxOutputTokens: 100, ...options };
    const { stream } = await languageModel(model, protocol).doStream(asked);
    for await (const part of stream) parts.push(part as Part);
  } catch (error) {
    failure = error;
  }
  const finish = parts.find((part) => part.type === "finish");
  return { parts, failure, finish, kinds: kindsOf(parts) };
}

/** The order of the parts, with adjacent equal ones merged. */
function kindsOf(parts: Part[]): string[] {
  const kinds = parts.map(({ type }) => type).filter((type) => type !== "custom");
  return kinds.filter((kind, n) => kind !== kinds[n - 1]);
}

function textOf(parts: Part[], kind: string): string {
  return parts.map((part) => (part.type === kind ? part.delta : "")).join("");
}

test.each(PROTOCOLS)("%s: reads text and tokens", async (protocol) => {
  // Goal: both protocols have one normal form of text, finish and usage.
  const { parts, kinds, finish } = await partsOf(protocol, [say("Hello big world"), usage(TOKENS)]);
  expect(kinds).toEqual([
    "stream-start",
    "response-metadata",
    "text-start",
    "text-delta",
    "text-end",
    "finish",
  ]);
  expect(textOf(parts, "text-delta")).toBe("Hello big world");
  expect(finish).toMatchObject({
    finishReason: { unified: "stop", raw: protocol === "anthropic" ? "end_turn" : "stop" },
    usage: {
      inputTokens: {
        total: 100,
        noCache: protocol === "anthropic" ? 50 : 60,
        cacheRead: 40,
        cacheWrite: protocol === "anthropic" ? 10 : undefined,
      },
      outputTokens: { total: 20, text: 15, reasoning: 5 },
    },
  });
});

test.each(PROTOCOLS)("%s: reads reasoning", async (protocol) => {
  // Goal: reasoning has its own parts before the text; only Anthropic signs it.
  const { parts, kinds } = await partsOf(protocol, [think("let me see"), say("done")]);
  expect(kinds.slice(2, 6)).toEqual(["reasoning-start", "reasoning-delta", "reasoning-end", "text-start"]);
  expect(textOf(parts, "reasoning-delta")).toBe("let me see");
  const signatures = parts.flatMap((part) =>
    part.type === "reasoning-delta" ? (part.providerMetadata ?? []) : [],
  );
  const signed = [{ anthropic: { signature: signThinking("let me see") } }];
  expect(signatures).toEqual(protocol === "anthropic" ? signed : []);
});

test.each(PROTOCOLS)("%s: reads parallel calls with text in one chunk", async (protocol) => {
  // Goal: calls arrive complete and in order, whether or not text shares their chunk.
  const { parts, finish } = await partsOf(protocol, [together("I ask", call("a", { x: 1 }), call("b"))]);
  expect(textOf(parts, "text-delta")).toBe("I ask");
  expect(parts.filter((part) => part.type === "tool-call")).toMatchObject([
    { toolName: "a", input: '{"x":1}' },
    { toolName: "b", input: "{}" },
  ]);
  expect(finish).toMatchObject({ finishReason: { unified: "tool-calls" } });
});

test.each(PROTOCOLS)("%s: passes on arguments that are not JSON", async (protocol) => {
  // Goal: they arrive as plain text, without an error.
  const { parts, kinds } = await partsOf(protocol, callRaw("a", '{"x": '));
  expect(parts.find((part) => part.type === "tool-call")).toMatchObject({ input: '{"x": ' });
  expect(kinds).not.toContain("error");
});

test.each(PROTOCOLS)("%s: reads a call without arguments", async (protocol) => {
  // Goal: Anthropic's provider turns nothing into `{}`; the other passes on the empty text.
  const { parts } = await partsOf(protocol, callRaw("a", ""));
  const input = protocol === "anthropic" ? "{}" : "";
  expect(parts.find((part) => part.type === "tool-call")).toMatchObject({ input });
});

test.each(PROTOCOLS)("%s: reads two calls with one id", async (protocol) => {
  // Goal: Anthropic's provider passes on the duplicate id; the other invents a new one.
  const same = { id: "same" };
  const { parts } = await partsOf(protocol, [call("a", {}, same), call("a", {}, same)]);
  const ids = parts.flatMap((part) => (part.type === "tool-call" ? [String(part.toolCallId)] : []));
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(protocol === "anthropic" ? 1 : 2);
});

test.each(PROTOCOLS)("%s: reports or repairs a call without an id", async (protocol) => {
  // Goal: Anthropic's provider reports an error and loses the call; the other invents an id.
  const { parts, kinds } = await partsOf(protocol, call("a", {}, { id: null }));
  const called = parts.filter((part) => part.type === "tool-call");
  if (protocol === "anthropic") expect([called, kinds.includes("error")]).toEqual([[], true]);
  else expect(called).toEqual([expect.objectContaining({ toolCallId: expect.stringMatching(/^\w{16}$/) })]);
});

test("openai: reads calls without index", async () => {
  // Goal: servers that omit the index are supported.
  const none = { index: null };
  const { parts } = await partsOf("openai", [call("a", { x: 1 }, none), call("b", { y: 1 }, none)]);
  expect(parts.filter((part) => part.type === "tool-call")).toMatchObject([
    { toolName: "a", input: '{"x":1}' },
    { toolName: "b", input: '{"y":1}' },
  ]);
});

test.each(PROTOCOLS)("%s: passes on an incomplete call at the length limit", async (protocol) => {
  // Goal: the incomplete call is passed on as if complete; only the finish reason differs.
  const { parts, finish } = await partsOf(protocol, lengthStop({ withHalfCall: true }));
  expect(parts.find((part) => part.type === "tool-call")).toMatchObject({ input: '{"agent":"research' });
  expect(finish).toMatchObject({ finishReason: { unified: "length" } });
});

test.each(PROTOCOLS)("%s: reads an empty answer", async (protocol) => {
  // Goal: it looks like success, with only a finish of `stop`.
  const { kinds, finish } = await partsOf(protocol, emptyAnswer());
  expect(kinds).toEqual(["stream-start", "response-metadata", "finish"]);
  expect(finish).toMatchObject({ finishReason: { unified: "stop" } });
});

test("reads usage that is absent, split or repeated", async () => {
  // Goal: absent usage is undefined (openai) or throws (anthropic); only a split report of openai loses the input.
  const absent = await partsOf("openai", [say("hi"), noUsage()]);
  expect(absent.finish?.usage).toMatchObject({
    inputTokens: { total: undefined },
    outputTokens: { total: undefined },
  });
  const broken = await partsOf("anthropic", [say("hi"), noUsage()]);
  expect(String(broken.failure)).toBe("Error: Expected a normalized Anthropic stream error");
  const totals = async (protocol: Protocol, step: Step) => {
    const { finish } = await partsOf(protocol, [say("hi there"), step]);
    const tokens = (finish?.usage ?? {}) as Record<string, { total: number }>;
    return [tokens.inputTokens?.total, tokens.outputTokens?.total];
  };
  expect(await totals("anthropic", splitUsage(TOKENS))).toEqual([100, 20]);
  expect(await totals("anthropic", repeatedUsage(TOKENS))).toEqual([100, 20]);
  expect(await totals("openai", splitUsage(TOKENS))).toEqual([0, 20]);
  expect(await totals("openai", repeatedUsage(TOKENS))).toEqual([100, 20]);
});

test.each(PROTOCOLS)("%s: reports an error in mid-stream", async (protocol) => {
  // Goal: there is an error part; only openai's provider then yields `finish` (error).
  const { parts, finish } = await partsOf(protocol, [say("some words"), errorInStream("overloaded")]);
  expect(textOf(parts, "text-delta")).toBe("some words");
  expect(parts.find((part) => part.type === "error")?.error).toMatchObject({ message: "overloaded" });
  if (protocol === "anthropic") expect(finish).toBeUndefined();
  else expect(finish).toMatchObject({ finishReason: { unified: "error" } });
});

test.each(PROTOCOLS)("%s: reports an error as the first event", async (protocol) => {
  // Goal: Anthropic's provider throws it with a status; the other streams it as a part.
  const { parts, failure } = await partsOf(protocol, errorInStream("overloaded"));
  if (protocol === "anthropic") expect(failure).toMatchObject({ statusCode: 529, isRetryable: true });
  else expect(parts.map(({ type }) => type)).toEqual(["stream-start", "error", "finish"]);
});

test.each(PROTOCOLS)("%s: reports a body that ends too early", async (protocol) => {
  // Goal: the unified reason is `interrupted` (anthropic) or `error` (openai), never `stop`.
  const { finish } = await partsOf(protocol, [say("half"), endEarly()]);
  const unified = protocol === "anthropic" ? "interrupted" : "error";
  expect(finish).toMatchObject({ finishReason: { unified } });
  const nothing = await partsOf(protocol, endEarly());
  expect(nothing.kinds).toEqual(
    protocol === "anthropic" ? ["stream-start"] : ["stream-start", "error", "finish"],
  );
});

test.each(PROTOCOLS)("%s: reports a connection lost in mid-stream", async (protocol) => {
  // Goal: the read fails with a status of 200 and "retryable": the engine must not believe that.
  const heard = gate();
  await using model = await startModel();
  model.reply([say("some words"), heard, cut()]);
  const { stream } = await languageModel(model, protocol).doStream({ prompt: PROMPT, maxOutputTokens: 100 });
  let text = "";
  const read = async () => {
    for await (const part of stream) {
      if (part.type === "text-delta") text += part.delta;
      if (text === "some words") heard.open();
    }
  };
  const failure: unknown = await read().catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: "AI_APICallError", statusCode: 200, isRetryable: true });
  expect(text).toBe("some words");
});
