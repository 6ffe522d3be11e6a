// Goal: whatever is typed becomes an expression of quoted words, and what it marks in a text is what the index finds.

import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { array, assert, constantFrom, property } from "fast-check";
import { marked, matchesIn, snippetOf } from "../../../src/service/search/snippets.ts";
import { termsOf } from "../../../src/service/search/terms.ts";
import { joined, piecesOf, split } from "../../../src/service/search/texts.ts";

const expressions: readonly (readonly [query: string, expression: string | undefined])[] = [
  ["plan", '"plan" *'],
  ["plan ", '"plan"'],
  ["two words", '"two" AND "words" *'],
  ['"a phrase" then', '"a phrase" AND "then" *'],
  ['"not closed', '"not closed"'],
  ["“curly” «quotes»", '"curly" AND "quotes"'],
  ["file_write", '"file write" *'],
  ["count_w", '"count"'],
  ["plan t", '"plan"'],
  ["t", '"t"'],
  ["计划", '"\u001f计\u001f\u001f划\u001f"'],
  ["NOT a* OR", '"NOT" AND "a" AND "OR" *'],
  ["?!*", undefined],
  ["", undefined],
];

test("a query becomes quoted words", () => {
  expect(Object.fromEntries(expressions.map(([query]) => [query, termsOf(query)?.expression]))).toEqual(
    Object.fromEntries(expressions),
  );
});

const marks = (text: string, query: string) =>
  marked(text, termsOf(query)!).ranges.map(({ start, end }) => text.slice(start, end));

test("marks words and beginnings without regard to case and accents, and phrases over punctuation", () => {
  expect(marks("Plans, a plan and a planet", "plan ")).toEqual(["plan"]);
  expect(marks("Plans, a plan and a planet", "plan")).toEqual(["Plan", "plan", "plan"]);
  expect(marks("Über den Wolken", "uber")).toEqual(["Über"]);
  expect(marks("call file_write(x)", "file_write ")).toEqual(["file_write"]);
  expect(marks("near, the weir", '"near the"')).toEqual(["near, the"]);
  expect(marks("工作计划表", "计划")).toEqual(["计划"]);
  expect(marks("𝒳plan 😀plan", "plan ")).toEqual(["plan"]);
});

test("shows the part with the most different matches", () => {
  const text = `heron ${"x ".repeat(400)}a kingfisher and a heron${" y".repeat(400)}`;
  const snippet = snippetOf(text, matchesIn(text, termsOf("heron kingfisher ")!));
  expect(snippet.ranges.map(({ start, end }) => snippet.text.slice(start, end))).toEqual([
    "kingfisher",
    "heron",
  ]);
  expect([snippet.text.startsWith("…"), snippet.text.endsWith("…"), snippet.text.length < 260]).toEqual([
    true,
    true,
    true,
  ]);
});

test("a text in pieces is whole again", () => {
  const text = `${"a line of text\n".repeat(3_000)}${"計".repeat(40_000)}${"😀".repeat(20_000)}`;
  const pieces = piecesOf(text);
  expect(pieces.map(joined).join("")).toBe(text);
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
});

test("no query is refused by the index, and a marked text is one that it finds", () => {
  using db = new Database(":memory:");
  db.run(
    "CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')",
  );
  const set = db.query("INSERT INTO texts (rowid, text) VALUES (1, ?)");
  const matches = db.query("SELECT 1 FROM texts WHERE texts MATCH ?");
  const pieces = constantFrom(
    "plan",
    "Plané",
    "計画",
    "שלום",
    '"',
    "*",
    "(",
    " ",
    "-",
    "NEAR",
    "x",
    "😀",
    "_",
    ".",
  );
  assert(
    property(array(pieces, { maxLength: 8 }), array(pieces, { maxLength: 12 }), (query, text) => {
      const terms = termsOf(query.join(""));
      if (!terms) return;
      const whole = text.join("");
      db.run("DELETE FROM texts");
      set.run(split(whole));
      const isFound = matches.get(terms.expression) !== null;
      if (matchesIn(whole, terms).kinds === terms.terms.length) expect(isFound).toBe(true);
    }),
    {
      numRuns: 3_000,
      examples: [
        [
          ["計画", "plan"],
          ["計画", "Plané"],
        ],
      ],
    },
  );
});
