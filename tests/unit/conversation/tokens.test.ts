// Goal: a text is counted nearly as the encoder counts it, in time that grows with its length alone, and others have their turn meanwhile.

import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokens } from "../../../src/service/conversation/tokens.ts";

const count = async (text: string) => (await estimateTokens([text], [undefined]))[0]!;

test("prose and code are counted as the encoder counts them", async () => {
  for (const text of ["", "one", "The quick brown fox jumps over the lazy dog. ".repeat(200)])
    expect(await count(text)).toBe(countTokens(text));
  const code = "const answer: number = 42;\n\n  return answer;\n".repeat(200);
  expect(Math.abs((await count(code)) / countTokens(code) - 1)).toBeLessThan(0.01);
});

test("a text without a space takes no more than others, and is counted within two percent", async () => {
  const word = "antidisestablishmentarianism".repeat(100);
  expect(Math.abs((await count(word)) / countTokens(word) - 1)).toBeLessThan(0.02);
  // As one piece, this takes a minute and a half.
  let turns = 0;
  let counted = false;
  const others = () => void ((turns += 1), counted || setImmediate(others));
  others();
  expect(await count("a".repeat(400_000))).toBeGreaterThan(40_000);
  counted = true;
  expect(turns).toBeGreaterThan(20);
});
