// Goal: a person whose conversation is too long for the model is told what helps, in the words of any server, and nobody else is.

import { expect, test } from "bun:test";
import { errorInStream, httpError, type Reply } from "../../kit/model/index.ts";
import { QUICK, world } from "../../kit/service/world.ts";

const ADVICE =
  "; the conversation is too long for the model: forget entries, begin another branch, or choose a model with a larger context";

const TOO_LONG = [
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
  "prompt is too long: 213462 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "the request exceeds the available context size, try increasing it",
  "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
  "Please reduce the length of the messages or completion.",
  "Input is too long for requested model.",
  "Prompt exceeds max length",
  "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
];
const OTHER = [
  "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens",
  "the image exceeds the maximum size",
  "tools: array too long",
];

async function failures(replies: readonly Reply[]): Promise<string[]> {
  await using lab = await world({ protocol: "openai-compatible", times: QUICK });
  lab.model.script("boss", replies);
  const errors: string[] = [];
  for (const index of replies.keys()) errors.push((await lab.chat(`try ${index}`)).turn.error!);
  return errors;
}

test("advises when the provider says so", async () => {
  expect(await failures(TOO_LONG.map((words) => httpError(400, words)))).toEqual(
    TOO_LONG.map((words) => `the provider answered 400: ${words.replace(/\.$/, "")}${ADVICE}`),
  );
});

test("advises when the request is too large, and when the answer had begun", async () => {
  const words =
    "Trying to keep the first 4567 tokens, but the model is loaded with context length of only 4096 tokens";
  expect(await failures([httpError(413, "no"), errorInStream(words)])).toEqual([
    `the provider answered 413: no${ADVICE}`,
    `the provider aborted its answer: ${words}${ADVICE}`,
  ]);
});

test("advises on nothing else", async () => {
  expect(await failures(OTHER.map((words) => httpError(400, words)))).toEqual(
    OTHER.map((words) => `the provider answered 400: ${words}`),
  );
});
