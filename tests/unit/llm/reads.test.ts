// Goal: each read reaches the listener as one piece per kind of text, in order, and an error in the same read does not lose it.

import { expect, test } from "bun:test";
import { Answer } from "../../../src/service/llm/answer.ts";
import { readAnswer } from "../../../src/service/llm/client.ts";
import { piecesOf } from "./oracle.ts";

/** Returns what the listener receives for these reads, each a list of events. */
async function heard(reads: readonly (readonly unknown[])[]): Promise<string[]> {
  const told: string[] = [];
  const answer = new Answer({
    text: (delta) => told.push(`text: ${delta}`),
    reasoning: (delta) => told.push(`reasoning: ${delta}`),
    attempt: () => {},
    retryIn: () => {},
    used: () => {},
    firstChunk: () => told.push("first"),
  });
  const bodies = reads.map((events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  const given = {
    isDelimited: true,
    read: async (take: (reads: readonly Uint8Array[]) => boolean) => {
      for (const body of bodies) take(piecesOf(body, [5, 40]));
    },
  };
  await readAnswer(given, "openai-compatible", answer).catch(() => answer.flush());
  return told;
}

const text = (content: string) => ({ choices: [{ delta: { content } }] });
const thought = (reasoning: string) => ({ choices: [{ delta: { reasoning } }] });

test("passes on one piece per read", async () => {
  expect(await heard([[text("a"), text("b"), text("c")], [text("d")]])).toEqual([
    "first",
    "text: abc",
    "text: d",
  ]);
});

test("keeps reasoning and text of one read in order", async () => {
  const reads = [[thought("a"), thought("b"), text("c"), text("d"), thought("e")]];
  expect(await heard(reads)).toEqual(["first", "reasoning: ab", "text: cd", "reasoning: e"]);
});

test("passes on text that precedes an error in the same read", async () => {
  expect(await heard([[text("a"), { error: { message: "overloaded" } }]])).toEqual(["first", "text: a"]);
});
