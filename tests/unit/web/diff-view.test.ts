// Goal: a diff shows every line of both texts once, detects changes of line endings and invisible characters, folds only unchanged lines,
// and stays fast for large or unrelated texts.

import { expect, test } from "bun:test";
import {
  opened,
  pieces,
  rowsOf,
  SHOWN_LINES_MAX,
  stretchesOf,
  type DiffRow,
} from "../../../web/kit/diff-view-rows.ts";
import { threadTimeMs } from "../../../src/kit/clock.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");
const short = ({ kind, before, after, text }: DiffRow) =>
  [{ same: " ", added: "+", removed: "-" }[kind], before ?? "", after ?? "", text].join("|");
const SOON_MS = 3_000;

test("numbers rows by both texts", () => {
  const { rows, added, removed } = rowsOf("a\nb\nc\n", "a\nB\nc\nd\n");
  expect(rows.map(short)).toEqual([" |1|1|a", "-|2||b", "+||2|B", " |3|3|c", "+||4|d"]);
  expect([added, removed]).toEqual([2, 1]);
});

test("compares line endings, also a missing one", () => {
  expect(rowsOf("a\n", "a\r\n").rows.map(short)).toEqual(["-|1||a", "+||1|a\r"]);
  const { rows } = rowsOf("a\n", "a");
  expect(rows.map(({ kind, open }) => [kind, open])).toEqual([
    ["removed", false],
    ["added", true],
  ]);
});

test("shows a single text without changes, and an empty text without rows", () => {
  expect(rowsOf(undefined, "a\nb").rows.map(short)).toEqual([" |1|1|a", " |2|2|b"]);
  expect(rowsOf(undefined, "").rows).toEqual([]);
  expect(rowsOf("", "").rows).toEqual([]);
});

test("folds long unchanged stretches, but not short ones and not the context of a change", () => {
  const { rows } = rowsOf(lines(1, 40), `${lines(1, 20)}new\n${lines(21, 40)}`);
  const stretches = stretchesOf(rows, true);
  expect(stretches).toEqual([
    { start: 0, end: 16, folded: true },
    { start: 16, end: 20, folded: false },
    { start: 20, end: 21, folded: false },
    { start: 21, end: 25, folded: false },
    { start: 25, end: 41, folded: true },
  ]);
  expect(opened(stretches, 0)[0]).toEqual({ start: 0, end: 16, folded: false });
  const near = rowsOf(lines(1, 8), `${lines(1, 8)}new\n`);
  expect(stretchesOf(near.rows, true).every(({ folded }) => !folded)).toBe(true);
});

test("covers every row once and in order, in whatever order stretches are opened", () => {
  const { rows } = rowsOf(lines(1, 3000), `${lines(1, 1000)}new\n${lines(1400, 5000)}`);
  let stretches = stretchesOf(rows, true);
  for (let round = 0; round < 50; round++) {
    const ends = stretches.map(({ end }) => end);
    expect(stretches.map(({ start }) => start)).toEqual([0, ...ends.slice(0, -1)]);
    expect(ends.at(-1)).toBe(rows.length);
    const folded = stretches.findIndex((stretch) => stretch.folded);
    if (folded < 0) break;
    stretches = opened(stretches, folded);
  }
  expect(stretches.every(({ folded }) => !folded)).toBe(true);
});

test("shows only the first of many changed lines, and counts the rest", () => {
  const { rows } = rowsOf("", lines(1, SHOWN_LINES_MAX + 5));
  expect(stretchesOf(rows, true)).toEqual([
    { start: 0, end: SHOWN_LINES_MAX, folded: false },
    { start: SHOWN_LINES_MAX, end: SHOWN_LINES_MAX + 5, folded: true },
  ]);
});

test("compares 2 MiB with a few changes, and 2 MiB of unrelated text, quickly", () => {
  const large = lines(1, 190_000);
  expect(large.length).toBeGreaterThan(2 * 1024 * 1024);
  const begun = threadTimeMs();
  const changed = rowsOf(large, large.replaceAll("line 9000\n", "line x\n"));
  expect([changed.added, changed.removed, changed.tooDifferent]).toEqual([1, 1, false]);
  const other = rowsOf(large, large.replaceAll("line", "Line"));
  expect(other.tooDifferent).toBe(true);
  expect([other.added, other.removed]).toEqual([190_000, 190_000]);
  expect(threadTimeMs() - begun).toBeLessThan(SOON_MS);
});

test("names invisible characters and those that change the text direction", () => {
  const shown = (text: string) =>
    pieces(text).map((piece) => (piece.hidden ? `<${piece.text}>` : piece.text));
  expect(shown("plain\ttext")).toEqual(["plain", "\t", "text"]);
  expect(shown("a\u202eb")).toEqual(["a", "<U+202E>", "b"]);
  expect(shown("\u200b\r")).toEqual(["<U+200B>", "<U+000D>"]);
  expect(shown("x\u{e0041}")).toEqual(["x", "<U+E0041>"]);
  expect(shown("naïve 漢字 🙂")).toEqual(["naïve 漢字 🙂"]);
});

test("names the selectors in which code can hide data, and none that gives an emoji its form", () => {
  const shown = (text: string) =>
    pieces(text).map((piece) => (piece.hidden ? `<${piece.text}>` : piece.text));
  expect(shown('eval(read("\ufe01\u{e0100}"))')).toEqual(['eval(read("', "<U+FE01>", "<U+E0100>", '"))']);
  expect(shown("a\ufe0fb\u034f\u180b\u2800")).toEqual([
    "a",
    "<U+FE0F>",
    "b",
    "<U+034F>",
    "<U+180B>",
    "<U+2800>",
  ]);
  expect(shown("❤\ufe0f\ufe0f 1\ufe0f")).toEqual(["❤\ufe0f", "<U+FE0F>", " 1", "<U+FE0F>"]);
  expect(shown("⚠\ufe0f ❤\ufe0e 1\ufe0f\u20e3")).toEqual(["⚠\ufe0f ❤\ufe0e 1\ufe0f\u20e3"]);
});
