// Goal: token counts are close to the encoder's, take time linear in the length, and immutable texts are counted once.

import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { WorkerPool } from "../../../src/kit/workers/pool.ts";
import { countTexts } from "../../../src/kit/text/token-count.ts";
import { TokenCounts } from "../../../src/service/conversation/tokens.ts";

const count = (text: string) => countTexts([text])[0]!;

test("counts prose and code like the encoder", () => {
  for (const text of ["", "one", "The quick brown fox jumps over the lazy dog. ".repeat(200)])
    expect(count(text)).toBe(countTokens(text));
  const code = "const answer: number = 42;\n\n  return answer;\n".repeat(200);
  expect(Math.abs(count(code) / countTokens(code) - 1)).toBeLessThan(0.01);
});

test("counts a text without spaces within two percent, without taking longer", () => {
  const word = "antidisestablishmentarianism".repeat(100);
  expect(Math.abs(count(word) / countTokens(word) - 1)).toBeLessThan(0.02);
  // In one piece, this would take a minute and a half.
  expect(count("a".repeat(400_000))).toBeGreaterThan(40_000);
});

test("counts entries and short texts once", async () => {
  const asked: (readonly string[])[] = [];
  const workers = {
    run: (_: unknown, texts: readonly string[]) => {
      asked.push(texts);
      return Promise.resolve(texts.map((text) => text.length));
    },
  } as unknown as WorkerPool;
  const counts = new TokenCounts(workers);
  const long = "x".repeat(300);
  const texts = ["one", long, "three"];
  for (let time = 0; time < 2; time += 1)
    expect(await counts.of("ann", texts, [undefined, undefined, "entry:3"])).toEqual([3, 300, 5]);
  expect(asked).toEqual([texts, [long]]);
});
