// Goal: a long conversation is serialised with pauses, and one that is longer than any model reads is refused.

import { expect, test } from "bun:test";
import { REQUEST_CHARACTERS_MAX, requestBody } from "../../../src/service/llm/request-body.ts";

const conversation = (count: number, text: string) => ({
  model: "m",
  system: [],
  messages: Array.from({ length: count }, (_, index) => ({ role: "user", content: `${index}: ${text}` })),
  tools: [{ name: "a", parameters: { type: "object", properties: { ü: { enum: ["\n", null] } } } }],
  stream: true,
  stream_options: { include_usage: true },
});

test("serialises the exact request", async () => {
  for (const request of [conversation(0, ""), conversation(3, 'a "quoted" — 👩‍👧 \ud800 line\n')])
    expect(await (await requestBody(request)).text()).toBe(JSON.stringify(request));
});

test("yields after each megabyte", async () => {
  let turns = 0;
  const over = new AbortController();
  const others = (async () => {
    for (; !over.signal.aborted; turns++) await new Promise(setImmediate);
  })();
  const request = conversation(60, "x".repeat(400_000));
  expect(await (await requestBody(request)).text()).toBe(JSON.stringify(request));
  over.abort();
  await others;
  expect(turns).toBeGreaterThanOrEqual(20);
});

test("refuses a request that no model could read", async () => {
  await expect(requestBody(conversation(33, "x".repeat(1024 * 1024)))).rejects.toThrow(
    `the conversation is larger than ${REQUEST_CHARACTERS_MAX} characters; forget entries, or continue in another workspace`,
  );
});
