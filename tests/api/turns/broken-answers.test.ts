// Goal: a broken or invalid answer keeps its text, marked, and leaves nothing that breaks the next turn.

import { describe, expect, test } from "bun:test";
import {
  call,
  callRaw,
  cut,
  emptyAnswer,
  endEarly,
  errorInStream,
  gate,
  hang,
  huge,
  finish,
  lengthStop,
  say,
  think,
  together,
  usage,
  type Reply,
} from "../../kit/model/index.ts";
import { protocols, QUICK, world } from "../../kit/service/world.ts";
import { ORCHESTRATOR_TOOLS } from "../../kit/service/agent-tools.ts";

const LOST = "the connection to the provider was lost in the middle of its answer";

const EMPTY = "the model returned an empty answer";
const TOO_LARGE = "the provider's answer is larger than 1048576 characters";
const KEPT = "agent (partial): Half a";

/** `kept`: of the conversation, after the question. */
const breaks: [name: string, reply: Reply, error: string, ...kept: string[]][] = [
  [
    "silence in mid-stream",
    [say("Half a"), hang()],
    "the provider stopped responding mid-answer (no data for 2 s)",
    KEPT,
  ],
  ["an end without anything", [endEarly()], LOST],
  [
    "an error in the stream, which is not retried",
    [say("Half a"), errorInStream("overloaded, key {key}")],
    "the provider aborted its answer: overloaded, key [api key]",
    KEPT,
  ],
  [
    "an error as the first event",
    [errorInStream("overloaded")],
    "the provider aborted its answer: overloaded",
  ],
  ["an empty answer", emptyAnswer(), EMPTY],
  ["blanks only", say(" \n "), EMPTY],
  ["thoughts only", [think("hm")], EMPTY],
  ["too much text", huge(1024 * 1024 + 1), TOO_LARGE, "cut"],
  [
    "too many characters in a call",
    callRaw("agent_list", "1".repeat(1024 * 1024 + 1), { fragments: 50 }),
    TOO_LARGE,
  ],
  [
    "a length limit before any text",
    lengthStop({ text: " ", withHalfCall: true }),
    "the model reached its length limit before it said anything usable; dropped an incomplete call of delegate",
  ],
];

describe.each(protocols)("%s", (protocol) => {
  test.each(breaks)("%s", async (name, reply, error, ...kept) => {
    const silenceMs = name === "silence in mid-stream" ? 2_000 : QUICK.silenceMs;
    await using lab = await world({ protocol, times: { ...QUICK, silenceMs } });
    lab.model.script("boss", [reply]);
    const { turn } = await lab.chat("hello");
    expect(turn).toMatchObject({ status: "failed", error });
    expect(lab.model.requests).toHaveLength(1);
    const said = await lab.conversation();
    if (kept[0] === "cut") expect(said[1]).toStartWith("agent (partial): 0123456789abcde\n");
    else expect(said).toEqual(["person: hello", ...kept]);
    await lab.model.waitFor((request) => request.state !== "open");
    await lab.expectNextTurnWorks();
  });

  test("keeps the text of a connection lost in mid-stream", async () => {
    await using lab = await world({ protocol, times: QUICK });
    const heard = gate();
    lab.model.script("boss", [[say("Half a"), heard, cut()]]);
    const turn = await lab.begin("hello");
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    let seen = "";
    await viewer.until((event) => {
      if (event.type === "delta" || event.type === "partial") seen += event.data.data.text;
      return seen === "Half a";
    });
    heard.open();
    expect(await lab.end(turn)).toMatchObject({ status: "failed", error: LOST });
    expect(lab.model.requests).toHaveLength(1);
    expect(await lab.conversation()).toEqual(["person: hello", "agent (partial): Half a"]);
    await lab.expectNextTurnWorks();
  });

  test("keeps the text and drops the incomplete call at a length limit", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [lengthStop({ withHalfCall: true })]);
    const { turn } = await lab.chat("hello");
    expect(turn).toMatchObject({ status: "done", error: null, truncated: true });
    expect(await lab.conversation()).toEqual(["person: hello", "agent: The answer is"]);
    expect((await lab.entries()).at(-1)).toMatchObject({
      truncated: "length",
      dropped_calls: ["delegate"],
      calls: [],
    });
    expect(await lab.calls(turn.id)).toMatchObject([{ status: "done", finish: "length" }]);
    await lab.expectNextTurnWorks();
  });

  test("marks an answer truncated by a content filter, and the next turn works", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [[say("It is"), finish("filter")], say("Fine.")]);
    const { turn } = await lab.chat("hello");
    expect(turn).toMatchObject({ status: "done", error: null, truncated: true });
    expect((await lab.entries()).at(-1)).toMatchObject({ text: "It is", truncated: "content_filter" });
    expect((await lab.chat("again")).turn).toMatchObject({ status: "done", truncated: false });
    expect((await lab.entries()).at(-1)).toMatchObject({ text: "Fine.", truncated: null, dropped_calls: [] });
  });

  test("passes a worker's truncated answer to its caller with a note", async () => {
    await using lab = await world({ protocol });
    await lab.addWorker("ann");
    lab.model.script("boss", [call("delegate", { agent: "ann", task: "write" }), say("Done.")]);
    lab.model.script("ann", [lengthStop()]);
    expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", truncated: false });
    expect(lab.model.resultsOf("boss")[0]).toBe(
      "The answer is\n[This answer is incomplete: it was truncated by its model's length limit.]",
    );
  });

  test("counts the usage of an empty answer", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [[usage({ input: 100, output: 7 })]]);
    const { turn } = await lab.chat("hello");
    expect(await lab.calls(turn.id)).toMatchObject([
      { status: "failed", input_tokens: 100, output_tokens: 7 },
    ]);
  });

  test("keeps a large answer completely", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [huge(1_000_000)]);
    const { turn, events } = await lab.chat("hello");
    expect(turn.status).toBe("done");
    const text = (await lab.entries()).at(-1)!.text;
    expect(text).toHaveLength(1_000_000);
    expect(
      events
        .filter((event) => event.type === "delta")
        .map((event) => event.data.data.text)
        .join(""),
    ).toBe(text);
  });

  test("answers invalid calls with sentences that the model can act on", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [
      [
        say("I try."),
        callRaw("agent_list", '{"x": '),
        callRaw("agent_list", "[1]"),
        callRaw("agent_list", `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
        callRaw("agent_list", `{"x":[${"1,".repeat(100_000)}1]}`),
        callRaw("agent_list", ""),
        call("agent_list", { x: 1 }),
        call("agent_remove", { agent: null }),
        call("agent_remove", { agent: 7 }),
        call("agent_remove", { agent: "nobody" }),
        call("web search!", {}),
        call("delegate", { agent: "researcher", task: "x" }),
      ],
      say("I see."),
    ]);
    const { turn } = await lab.chat("hello");
    expect(turn).toMatchObject({ status: "done", error: null });
    const list = ORCHESTRATOR_TOOLS.join(", ");
    const results = lab.model.requests[1]!.messages.at(-1)!.results.map((result) => result.text);
    expect(results).toEqual([
      "The arguments are not a JSON object. Call the tool again with a valid JSON object.",
      "The arguments are not a JSON object. Call the tool again with a valid JSON object.",
      "The arguments are nested more than 64 levels deep. Nothing was done; call the tool with flatter ones.",
      "The arguments have more than 100000 values. Nothing was done; call the tool with fewer.",
      expect.stringContaining('"name":"orchestrator"'),
      "The arguments are not valid: x: unknown field. The tool's fields: none. Nothing was done; correct them and call again.",
      "The arguments are not valid: agent: expected a string. Nothing was done; correct them and call again.",
      "The arguments are not valid: agent: expected a string. Nothing was done; correct them and call again.",
      'there is no agent named "nobody"; the agents are: orchestrator. Nothing was done.',
      `There is no tool "web_search_". You have: ${list}.`,
      `There is no tool "delegate". You have no wire to an agent that you could delegate to. You have: ${list}.`,
    ]);
    expect(lab.model.problems).toEqual([]);
    await lab.expectNextTurnWorks();
  });

  test("accepts text and calls in one chunk, and calls with one id", async () => {
    await using lab = await world({ protocol });
    const same = { id: "same" };
    lab.model.script("boss", [
      together("Looking.", call("agent_list", {}, same), call("model_list", {}, same)),
      say("Done."),
    ]);
    const { turn } = await lab.chat("hello");
    expect(turn.status).toBe("done");
    const asked = lab.model.requests[1]!.messages.at(-2)!;
    expect([asked.text, ...asked.calls.map((one) => one.name)]).toEqual([
      "Looking.",
      "agent_list",
      "model_list",
    ]);
    expect(new Set(asked.calls.map((one) => one.id)).size).toBe(2);
    expect(lab.model.problems).toEqual([]);
  });

  test("accepts a call without an id", async () => {
    await using lab = await world({ protocol, times: QUICK });
    lab.model.script("boss", [[say("Looking."), call("agent_list", {}, { id: null })], say("Done.")]);
    expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", error: null });
    await lab.expectNextTurnWorks();
  });

  test("keeps and marks a stream that ends normally without a finish reason", async () => {
    await using lab = await world({ protocol, times: QUICK });
    lab.model.script("boss", [[say("All of it."), endEarly()]]);
    const { turn } = await lab.chat("hello");
    expect(turn).toMatchObject({ status: "done", error: null });
    expect(await lab.conversation()).toEqual(["person: hello", "agent: All of it."]);
    expect(await lab.calls(turn.id)).toMatchObject([{ status: "done", finish: "unknown" }]);
    await lab.expectNextTurnWorks();
  });
});
