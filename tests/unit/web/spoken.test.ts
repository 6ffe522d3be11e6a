// Goal: an answer is spoken as its words, without the marks of Markdown, and a long one is cut at a word.

import { expect, test } from "bun:test";
import { spoken } from "../../../web/screens/chat/spoken.ts";

test("leaves out marks, and names what is not prose", () => {
  const answer = [
    "## Done",
    "",
    "**scribe** wrote `a.md`, see [the draft](https://example.org/x).",
    "",
    "- first",
    "- second *item*",
    "",
    "```ts",
    "const x = 1;",
    "```",
    "",
    "| a | b |",
    "| - | - |",
    "| 1 | 2 |",
    "",
    "> quoted",
    "",
    "---",
  ].join("\n");
  expect(spoken(answer)).toBe(
    "Done scribe wrote a.md, see the draft. first second item code block. table. quoted",
  );
});

test("cuts a long answer at a word", () => {
  const said = spoken("word ".repeat(1_000));
  expect(said).toEndWith("word…");
  expect(said.length).toBeLessThanOrEqual(601);
  expect(spoken("")).toBe("");
});
