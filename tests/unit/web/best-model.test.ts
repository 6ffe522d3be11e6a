// Goal: of a provider's list, the suggested model is a recent one for general work.

import { expect, test } from "bun:test";
import { bestModel } from "../../../web/parts/catalog/best-model.ts";

for (const [best, others] of [
  [
    "claude-sonnet-4-5",
    ["claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-5-20250929", "claude-3-7-sonnet-20250219"],
  ],
  [
    "gpt-5.1",
    [
      "gpt-5",
      "gpt-5.1-mini",
      "gpt-4o",
      "text-embedding-3-large",
      "gpt-5.1-2025-11-13",
      "gpt-realtime",
      "o3",
      "whisper-1",
    ],
  ],
  ["llama3.3:70b", ["llama3.3:8b", "llama3.2:3b", "nomic-embed-text", "mistral:7b"]],
  ["gemini-3-pro", ["gemini-3-flash", "gemini-2.5-pro", "gemini-3-pro-preview"]],
  ["swift-2", ["swift-1", "thorough-1"]],
  ["only", []],
] as const) {
  test(best, () => {
    expect(bestModel([...others, best])).toBe(best);
    expect(bestModel([best, ...others.toReversed()])).toBe(best);
  });
}

test("suggests nothing among models for other work", () => {
  expect(bestModel([])).toBeUndefined();
  expect(bestModel(["text-embedding-3-small", "whisper-1"])).toBeUndefined();
});
