// Goal: an answer counts whole in each dialect of the Chat Completions API that servers are known to send.

import { expect, test } from "bun:test";
import { say, type Reply, type Step } from "../../kit/model/index.ts";
import { QUICK, world } from "../../kit/service/world.ts";

const delta = (fields: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const stop = delta({}, "stop");

function stream(...chunks: object[]): Step {
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return { kind: "raw", text: `${events.join("")}data: [DONE]\n\n`, contentType: "text/event-stream" };
}

async function answered(...replies: Reply[]) {
  await using lab = await world({ protocol: "openai-compatible", times: QUICK });
  lab.model.script("boss", replies);
  const { turn } = await lab.chat("hello");
  expect(lab.model.problems).toEqual([]);
  return { turn, entries: await lab.entries(), calls: await lab.calls(turn.id) };
}

test.each([
  ["in one piece", ["<think>They ask.</think>\n\nHello."]],
  ["in pieces that cut the tags", ["\n<th", "ink>They", " ask.</thi", "nk>", "\n", "\nHel", "lo."]],
])("shows thoughts between tags as thoughts: %s", async (_, pieces) => {
  const { turn, entries } = await answered(stream(...pieces.map((content) => delta({ content })), stop));
  expect(turn).toMatchObject({ status: "done", error: null });
  expect(entries.at(-1)).toMatchObject({ text: "Hello." });
  expect(entries.at(-1)!.reasoning!.trim()).toBe("They ask.");
});

test.each(["<think", "a <think>b</think>", "<thinker>", "1 < 2"])(
  "keeps a text that is no thought: %s",
  async (text) => {
    const { entries } = await answered(stream(...[...text].map((content) => delta({ content })), stop));
    expect(entries.at(-1)).toMatchObject({ text, reasoning: null });
  },
);

test("keeps thoughts that a length limit cut, and says so", async () => {
  const { turn } = await answered(stream(delta({ content: "<think>They ask</th" }), delta({}, "length")));
  expect(turn).toMatchObject({
    status: "failed",
    error: "the model reached its length limit before it said anything usable",
  });
});

test("knows the end mark with a space after it", async () => {
  const event = `data: ${JSON.stringify(delta({ content: "Yes." }))}\n\n`;
  const { turn, entries } = await answered({
    kind: "raw",
    text: `${event}data: [DONE] \n\n`,
    contentType: "text/event-stream",
  });
  expect(turn).toMatchObject({ status: "done", error: null });
  expect(entries.at(-1)).toMatchObject({ text: "Yes." });
});

test("reads thoughts beside an empty field of another name", async () => {
  const { entries } = await answered(
    stream(
      delta({ content: null, reasoning_content: "", reasoning: "hm" }),
      delta({ content: "Yes." }),
      stop,
    ),
  );
  expect(entries.at(-1)).toMatchObject({ text: "Yes.", reasoning: "hm" });
});

test("makes a call whose arguments are an object in place of its text", async () => {
  const asked = {
    index: 0,
    id: "c",
    function: { name: "file_write", arguments: { path: "a.md", content: "x" } },
  };
  const { entries } = await answered(stream(delta({ tool_calls: [asked] }), delta({}, "stop")), say("Done."));
  expect(entries.slice(1, 3)).toMatchObject([
    { calls: [{ name: "file_write", arguments: '{"path":"a.md","content":"x"}' }] },
    { kind: "tool", outcome: "ok" },
  ]);
});

test.each([
  ["model_length", "length"],
  ["MAX_TOKENS", "length"],
  ["sensitive", "content_filter"],
])("marks an answer truncated: %s", async (reason, truncated) => {
  const { turn, entries } = await answered(stream(delta({ content: "It is" }), delta({}, reason)));
  expect(turn).toMatchObject({ status: "done", truncated: true });
  expect(entries.at(-1)).toMatchObject({ text: "It is", truncated });
});

test.each(["error", "abort", "network_error", "insufficient_system_resource"])(
  "fails an answer that its server gave up: %s",
  async (reason) => {
    const { turn, entries } = await answered(stream(delta({ content: "It is" }), delta({}, reason)));
    expect(turn).toMatchObject({
      status: "failed",
      error: `the provider aborted its answer: its finish reason is ${reason}`,
    });
    expect(entries.at(-1)).toMatchObject({ text: "It is", partial: true });
  },
);

const usage = { prompt_tokens: 9, completion_tokens: 2 };
test.each([
  ["details", { choices: [], usage: { ...usage, prompt_tokens_details: { cached_tokens: 4 } } }, 4],
  [
    "hits and misses",
    { choices: [], usage: { ...usage, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 } },
    4,
  ],
  ["a count of its own", { choices: [], usage: { ...usage, cached_tokens: 4 } }, 4],
  ["the choice", { choices: [{ delta: {}, usage: { ...usage, cached_tokens: 4 } }] }, 4],
  ["nothing, which is not zero", { choices: [], usage }, null],
])("reads cached tokens from %s", async (_, chunk, cached) => {
  const { calls } = await answered(stream(delta({ content: "Yes." }), stop, chunk));
  expect(calls).toMatchObject([{ input_tokens: 9, cached_input_tokens: cached, output_tokens: 2 }]);
});
