// Goal: implausible numbers and sizes from providers are refused, because records and budgets could not hold them.

import { expect, test } from "bun:test";
import { ANSWER_CALLS_MAX } from "../../../src/service/llm/answer.ts";
import { requireModest } from "../../../src/service/llm/failures.ts";
import { ThinkTags } from "../../../src/service/llm/think-tags.ts";
import { ours, piecesOf } from "./oracle.ts";

async function took(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const body = (events: readonly object[]) =>
  piecesOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n", []);
const said = { choices: [{ delta: { content: "a" }, finish_reason: "stop" }] };

test.each([1.5, -1, 1e308, 9e18, 100_000_001, "7"])("%p is not a count of tokens", async (count) => {
  const usage = { prompt_tokens: count, completion_tokens: 2 };
  const read = await ours("openai-compatible", body([said, { choices: [], usage }]));
  expect(read).toMatchObject({ text: "a", input: undefined, output: 2 });
});

test("limits the tool calls of an answer", async () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ index, function: { name: "x", arguments: "{}" } }));
  const answer = (count: number) =>
    ours("openai-compatible", body([{ choices: [{ delta: { tool_calls: calls(count) } }] }, said]));
  expect(await answer(ANSWER_CALLS_MAX)).toHaveProperty("calls.length", ANSWER_CALLS_MAX);
  expect(await answer(ANSWER_CALLS_MAX + 1)).toHaveProperty(
    "failed",
    `the provider's answer violates its protocol: it holds more than ${ANSWER_CALLS_MAX} tool calls`,
  );
});

test("fails an answer with arguments that are nested too deeply, and says why", async () => {
  const deep = `{"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  const block = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"x","input":${deep}}}`;
  expect(await ours("anthropic", piecesOf(`data: ${block}\n\n`, []))).toHaveProperty(
    "failed",
    "the provider's answer violates its protocol: it is nested more than 64 levels deep",
  );
});

test("examines an event with many arguments that are objects only once", async () => {
  const call = (index: number) => ({ index, function: { name: "x", arguments: { a: "y".repeat(1_900) } } });
  const calls = Array.from({ length: ANSWER_CALLS_MAX }, (_, index) => call(index));
  const event = JSON.stringify({ choices: [{ delta: { tool_calls: calls } }] });
  const examine = () => requireModest(event);
  const answer = () => ours("openai-compatible", piecesOf(`data: ${event}\n\ndata: [DONE]\n\n`, []));
  expect(await answer()).toHaveProperty("calls.length", ANSWER_CALLS_MAX);
  let [once, read] = [Infinity, Infinity];
  for (let round = 0; round < 5; round += 1) {
    once = Math.min(once, await took(examine));
    read = Math.min(read, await took(answer));
  }
  expect(read).toBeLessThan(once * (ANSWER_CALLS_MAX / 4));
});

test("passes on endless whitespace at the start of an answer, so that it counts", () => {
  const pieces: string[] = [];
  const tags = new ThinkTags((_, piece) => pieces.push(piece));
  const blank = " ".repeat(1_000);
  for (let index = 0; index < 3; index += 1) tags.text(blank);
  expect(pieces).toEqual([blank, blank, blank]);
});

test("fails an answer with more values than any answer needs, in one event or as one document", async () => {
  const crowded = `{"x":[${"1,".repeat(200_000)}1]}`;
  const problem =
    "the provider's answer violates its protocol: it has more keys or values than any answer needs";
  expect(await ours("openai-compatible", piecesOf(`data: ${crowded}\n\n`, []))).toHaveProperty(
    "failed",
    problem,
  );
  expect(await ours("openai-compatible", piecesOf(crowded, []))).toHaveProperty("failed", problem);
});
