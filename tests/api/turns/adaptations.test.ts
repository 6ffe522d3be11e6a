// Goal: a provider that refuses or demands a field gets the request in the form that it accepts, in the same turn, and in that form from then on.

import { describe, expect, test } from "bun:test";
import { call, httpError, say, think, type Reply } from "../../kit/model/index.ts";
import type { RecordedRequest } from "../../kit/model/requests.ts";
import { type Protocol, QUICK, world } from "../../kit/service/world.ts";

type Body = Record<string, unknown>;

interface Case {
  readonly name: string;
  readonly protocol: Protocol;
  /** The refusal; undefined accepts the body. */
  readonly refuse: (body: Body, request: RecordedRequest) => Reply | undefined;
  /** Of the accepted body. */
  readonly sent: Body;
}

const chat = "openai-compatible";
const answersOf = (body: Body) =>
  (body["messages"] as Body[]).filter((message) => message["role"] === "assistant");

const CASES: Case[] = [
  {
    name: "a model that names its output limit otherwise",
    protocol: chat,
    refuse: (body) =>
      "max_tokens" in body
        ? httpError(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          )
        : undefined,
    sent: { max_completion_tokens: 77 },
  },
  {
    name: "a server without usage in streams",
    protocol: chat,
    refuse: (body) =>
      "stream_options" in body
        ? httpError(422, "body.stream_options: Extra inputs are not permitted")
        : undefined,
    sent: { max_tokens: 77 },
  },
  {
    name: "a model that does not think and call tools in one answer",
    protocol: chat,
    refuse: (body) =>
      body["reasoning_effort"] === "none"
        ? undefined
        : httpError(
            400,
            "Function tools with reasoning_effort are not supported for boss in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
          ),
    sent: { reasoning_effort: "none" },
  },
  ...(["openai-compatible", "anthropic"] as const).map((protocol): Case => ({
    name: "a gateway that cannot translate the choice of tools",
    protocol,
    refuse: (body) =>
      "tool_choice" in body
        ? httpError(400, "gateway does not support parameters: ['tool_choice'], for model=boss")
        : undefined,
    sent: { tools: expect.any(Array) },
  })),
  {
    name: "a server that cannot make a grammar of a tool",
    protocol: chat,
    refuse: (body) =>
      JSON.stringify(body["tools"]).includes('"maxItems"')
        ? httpError(400, "Failed to initialize samplers: failed to parse grammar")
        : undefined,
    sent: { tools: expect.any(Array) },
  },
  {
    name: "a gateway that takes the key as a bearer token only",
    protocol: "anthropic",
    refuse: (_, { headers }) =>
      headers["authorization"] === undefined ? httpError(401, "send the key as Authorization") : undefined,
    sent: {},
  },
];

describe.each(CASES)("$protocol: $name", ({ protocol, refuse, sent }) => {
  test("gets the other form", async () => {
    await using lab = await world({ protocol, times: QUICK });
    const [model] = await lab.admin.get("/models");
    await lab.admin.patch(`/models/${model!.id}`, { output_tokens: 77 });
    const accepted: Body[] = [];
    lab.model.on("boss", (request) => {
      const refusal = refuse(request.raw, request as RecordedRequest);
      if (refusal) return refusal;
      accepted.push(request.raw);
      return say("Fine.");
    });
    const { turn } = await lab.chat("hello");
    expect(turn).toMatchObject({ status: "done", error: null });
    expect(lab.model.requests).toHaveLength(2);
    expect(await lab.calls(turn.id)).toMatchObject([{ attempts: 2, status: "done" }]);
    expect((await lab.chat("again")).turn.status).toBe("done");
    expect(lab.model.requests).toHaveLength(3);
    expect(accepted).toMatchObject([sent, sent]);
    expect(lab.model.problems).toEqual([]);
  });
});

test("does not keep a form that the provider refuses too", async () => {
  await using lab = await world({ protocol: chat, times: QUICK });
  lab.model.on("boss", () => httpError(400, "stream_options: bad weather"));
  expect((await lab.chat("hello")).turn).toMatchObject({
    status: "failed",
    error: "the provider answered 400: stream_options: bad weather",
  });
  lab.model.on("boss", () => say("Fine."));
  expect((await lab.chat("again")).turn.status).toBe("done");
  expect(lab.model.requests).toHaveLength(3);
  expect(lab.model.requests[2]!.raw).toMatchObject({ stream_options: { include_usage: true } });
});

test("replays what the model thought to a provider that demands it, and to no other", async () => {
  await using lab = await world({ protocol: chat, times: QUICK });
  const refusal = "The `reasoning_content` in the thinking mode must be passed back to the API.";
  lab.model.on("boss", ({ raw }) => {
    const answers = answersOf(raw);
    if (answers.length === 0) return [think("They want a list."), call("agent_list", {})];
    return answers.every((one) => "reasoning_content" in one) ? say("Done.") : httpError(400, refusal);
  });
  const { turn } = await lab.chat("hello");
  expect(turn).toMatchObject({ status: "done", error: null });
  expect(lab.model.requests.map(({ raw }) => answersOf(raw).map((one) => one["reasoning_content"]))).toEqual([
    [],
    [undefined],
    ["They want a list."],
  ]);
  expect((await lab.chat("again")).turn.status).toBe("done");
  expect(answersOf(lab.model.requests.at(-1)!.raw).map((one) => one["reasoning_content"])).toEqual([
    "They want a list.",
    "",
  ]);
});

test("sends a placeholder for thought signatures to a provider that demands them", async () => {
  await using lab = await world({ protocol: chat, times: QUICK });
  lab.model.on("boss", ({ raw }) => {
    const calls = answersOf(raw).flatMap((one) => one["tool_calls"] as Body[]);
    if (calls.length === 0) return call("agent_list", {});
    if (calls.every((one) => "extra_content" in one)) return say("Done.");
    return httpError(400, "Function call is missing a thought_signature in functionCall parts.");
  });
  expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", error: null });
  expect(lab.model.requests).toHaveLength(3);
});

test("puts an answer between the results of tools and a message, for a provider that demands one", async () => {
  await using lab = await world({ protocol: chat, times: QUICK });
  const refusal = "Unexpected role 'user' after role 'tool'";
  lab.model.script("boss", [call("agent_list", {}), httpError(400, "no credit")]);
  expect((await lab.chat("hello")).turn.status).toBe("failed");
  const rolesOf = (body: Body) => (body["messages"] as Body[]).map(({ role }) => role).join(" ");
  lab.model.on("boss", ({ raw }) =>
    rolesOf(raw).includes("tool user") ? httpError(400, refusal) : say("Fine."),
  );
  expect((await lab.chat("again")).turn).toMatchObject({ status: "done", error: null });
  expect(lab.model.requests.slice(-2).map(({ raw }) => rolesOf(raw))).toEqual([
    "system user assistant tool user",
    "system user assistant tool assistant user",
  ]);
});

test("disables thinking for a provider of the Messages API that demands it back from earlier turns", async () => {
  await using lab = await world({ protocol: "anthropic", times: QUICK });
  lab.model.on("boss", ({ raw }) => {
    const answers = answersOf(raw);
    if (answers.length === 0) return [think("hm"), call("agent_list", {})];
    const isWhole = answers.every((one) => JSON.stringify(one["content"]).includes('"thinking"'));
    if (isWhole || (raw["thinking"] as Body | undefined)?.["type"] === "disabled") return say("Done.");
    return httpError(400, "The `content[].thinking` in the thinking mode must be passed back to the API.");
  });
  expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", error: null });
  expect(lab.model.requests).toHaveLength(2);
  expect((await lab.chat("again")).turn).toMatchObject({ status: "done", error: null });
  expect(lab.model.requests).toHaveLength(4);
  expect(lab.model.problems).toEqual([]);
});
