// Goal: no text of a CSV cell runs as a formula or breaks out of its cell, and numbers stay numbers.

import { expect, test } from "bun:test";
import { csvRow } from "../../../src/kit/text/csv.ts";

const cells: readonly (readonly [value: string | number | null, cell: string])[] = [
  [null, ""],
  [-5, "-5"],
  [0.25, "0.25"],
  ["plain", "plain"],
  ['say "hi", now', '"say ""hi"", now"'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["  =1+1", "'  =1+1"],
  ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ["-2+3", "'-2+3"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", '"\'\t=1"'],
  ["\r=1", '"\'\r=1"'],
  ["＝1+1", "'＝1+1"],
  ["a=b", "a=b"],
  ["hello;=1+1;", '"hello;=1+1;"'],
  ["tab\t=2+2", '"tab\t=2+2"'],
  ['=HYPERLINK("http://a","b")', '"\'=HYPERLINK(""http://a"",""b"")"'],
];

test("escapes cells that a spreadsheet would run", () => {
  expect(cells.map(([value]) => csvRow([value]))).toEqual(cells.map(([, cell]) => cell));
  expect(csvRow(["a", 1, null])).toBe("a,1,");
});
