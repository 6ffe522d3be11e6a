// Goal: live output is whole characters and no more than the record keeps; expected output is compared as text or as JSON.

import { expect, test } from "bun:test";
import { LiveText } from "../../../src/service/gears/live-text.ts";
import { isExpected } from "../../../src/service/gears/review.ts";
import { OUTPUT_BYTES_KEPT_MAX } from "../../../src/service/sandbox/sandbox.ts";

test("joins characters that arrive in pieces, for each stream separately", () => {
  const said: string[] = [];
  const live = new LiveText((stream, text) => said.push(`${stream}:${text}`));
  const bytes = new TextEncoder().encode("🎛");
  live.add("stdout", bytes.subarray(0, 3));
  live.add("stderr", new TextEncoder().encode("e"));
  live.add("stdout", bytes.subarray(3));
  live.add("stdout", bytes.subarray(0, 1));
  live.end();
  expect(said).toEqual(["stderr:e", "stdout:🎛", "stdout:\ufffd"]);
});

test("does not show output that the record drops", () => {
  let shown = 0;
  const live = new LiveText((_, text) => (shown += text.length));
  for (let count = 0; count < 20; count++) live.add("stdout", new Uint8Array(100_000).fill(97));
  live.end();
  expect(shown).toBe(OUTPUT_BYTES_KEPT_MAX);
});

test("expected output: the same text, or the same JSON value when both are JSON", () => {
  expect(isExpected("a\n", "a\n")).toBe(true);
  expect(isExpected("a\n", "a")).toBe(false);
  expect(isExpected('{"a":[1,2],"b":null}\n', '{"b":null,"a":[1,2]}')).toBe(true);
  expect(isExpected('{"a":[2,1]}', '{"a":[1,2]}')).toBe(false);
  expect(isExpected("1", '"1"')).toBe(false);
  expect(isExpected('{"a":1}', '{"a":1,"b":null}')).toBe(false);
});
