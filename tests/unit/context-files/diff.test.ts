// Goal: a diff is exact if it can be computed in bounded time, and otherwise one block marked as coarse; both apply cleanly.

import { describe, expect, test } from "bun:test";
import { applyPatch } from "diff";
import { diffOf } from "../../../src/context/files/diff.ts";

const side = (version: number, text: string) => ({ version, bytes: new TextEncoder().encode(text) });
const diff = (from: string, to: string) => diffOf({ path: "a.md", from: side(1, from), to: side(2, to) });
const lines = (count: number, mark: string) =>
  Array.from({ length: count }, (_, index) => `${mark} ${index}`).join("\n");

test("finds added and removed lines, even ones that look like diff signs", async () => {
  expect(await diff("one\ntwo\n", "one\n+two\n-three\n")).toEqual({
    path: "a.md",
    from: 1,
    to: 2,
    added: 2,
    removed: 1,
    coarse: false,
    text: expect.stringContaining("@@ -1,2 +1,3 @@\n one\n-two\n++two\n+-three\n"),
  });
});

test("writes a name as it is", async () => {
  const { text } = await diffOf({ path: '日本/ï "a".md', from: side(1, "one\n"), to: side(2, "two\n") });
  expect(text).toStartWith('--- 日本/ï "a".md v1\n+++ 日本/ï "a".md v2\n@@ -1,1 +1,1 @@\n');
});

describe("texts without common lines", () => {
  const LINES = 10_000;

  test("are compared as one block", async () => {
    const found = await diff(lines(LINES, "old"), lines(LINES, "new"));
    expect(found).toMatchObject({ coarse: true, added: LINES, removed: LINES });
    expect(applyPatch(lines(LINES, "old"), found.text)).toBe(lines(LINES, "new"));
  });

  test("are compared as one block between the common start and end", async () => {
    const around = (middle: string, end: string) => `a\nb\nc\nd\n${middle}\nw\nx\ny\nz${end}`;
    for (const end of ["", "\n"]) {
      const [before, after] = [around(lines(LINES, "old"), end), around(lines(LINES, "new"), end)];
      const found = await diff(before, after);
      expect(found).toMatchObject({ coarse: true, added: LINES, removed: LINES });
      expect(found.text).toContain(`@@ -2,${LINES + 6} +2,${LINES + 6} @@\n b\n c\n d\n-old 0\n`);
      expect(applyPatch(before, found.text)).toBe(after);
    }
  });

  test("are compared as one block even if only one ends with a line feed or starts empty", async () => {
    for (const [before, after] of [
      [`${lines(LINES, "old")}\n`, lines(LINES, "new")],
      [lines(LINES, "old"), `${lines(LINES, "new")}\n`],
    ] as const)
      expect(applyPatch(before, (await diff(before, after)).text)).toBe(after);
    expect(await diff("", lines(LINES, "new"))).toMatchObject({ added: LINES, removed: 0 });
  });
});

test("refuses content that is not text", async () => {
  const from = { version: 1, bytes: new Uint8Array([0xff]) };
  expect(diffOf({ path: "a.bin", from, to: side(2, "") })).rejects.toMatchObject({ code: "not_text" });
});
