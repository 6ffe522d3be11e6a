// Goal: a diff is exact if it can be computed in bounded time, and otherwise one block marked as coarse; both apply cleanly.

import { describe, expect, spyOn, test } from "bun:test";
import { applyPatch } from "diff";
import * as fc from "fast-check";
import { diffOf } from "../../../src/context/files/diff.ts";
import { wholeBlock } from "../../../src/context/files/whole-block.ts";

const MIB = 1024 * 1024;

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
  expect(text).toStartWith('--- 日本/ï "a".md\tv1\n+++ 日本/ï "a".md\tv2\n@@ -1,1 +1,1 @@\n');
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

test("a coarse block applies to any two texts, with any number of lines around it", async () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "", "\n", "\n\n"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  await fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
      fc.pre(before !== after);
      const { text: patch, added, removed } = wholeBlock({ old: "a", new: "b" }, before, after, context);
      expect(applyPatch(before, patch)).toBe(after);
      const starting = (sign: string) =>
        patch.split("\n").filter((line, index) => index > 2 && line.startsWith(sign)).length;
      expect({ added, removed }).toEqual({ added: starting("+"), removed: starting("-") });
    }),
    { numRuns: 2_000 },
  );
});

test("texts of millions of short lines are one block, without a list of their lines", async () => {
  const [before, after] = ["\n".repeat(5 * MIB), "a\n".repeat(2.5 * MIB)];
  const found = await diff(before, after);
  expect(found).toMatchObject({ coarse: true, removed: 5 * MIB, added: 2.5 * MIB });
  expect(found.text.length).toBe(found.text.indexOf("@@\n") + 3 + 10 * MIB + 7.5 * MIB);
});

test("refuses content that is not text", async () => {
  const from = { version: 1, bytes: new Uint8Array([0xff]) };
  await expect(diffOf({ path: "a.bin", from, to: side(2, "") })).rejects.toMatchObject({ code: "not_text" });
});

test("is as exact on a machine that takes long as on one that does not", async () => {
  const marked = (mark: string) =>
    Array.from({ length: 200 }, (_, at) => `${at}${at % 10 === 0 ? mark : ""}\n`).join("");
  let now = Date.now();
  const clock = spyOn(Date, "now").mockImplementation(() => (now += 10_000));
  try {
    expect(await diff(marked("a"), marked("b"))).toMatchObject({ coarse: false, added: 20, removed: 20 });
  } finally {
    clock.mockRestore();
  }
});
