// Goal: validating changes the date and nothing else, in any way of writing front matter, or is refused.

import { describe, expect, test } from "bun:test";
import { withValidation } from "../../../src/context/freshness/validating.ts";

const DAY = "2026-11-22";
const after = (text: string) => {
  const validation = withValidation(text, DAY);
  return "text" in validation ? validation.text : validation.problem;
};

const edits: [name: string, before: string, after: string][] = [
  [
    "replaces the date",
    "---\nlast-validated: 2025-01-01\nowner: ann\n---\n# x\n",
    `---\nlast-validated: ${DAY}\nowner: ann\n---\n# x\n`,
  ],
  [
    "keeps quotes around the name, spaces and a comment",
    '---\n"last-validated" :   "2025-01-01"  # by ann\n---\n',
    `---\n"last-validated" :   ${DAY}  # by ann\n---\n`,
  ],
  [
    "fills in an empty value",
    "---\nlast-validated:\na: 1\n---\n",
    `---\nlast-validated: ${DAY}\na: 1\n---\n`,
  ],
  [
    "adds the field at the end",
    "---\nstale-after: 90d\n# note\n---\n\ntext",
    `---\nstale-after: 90d\n# note\nlast-validated: ${DAY}\n---\n\ntext`,
  ],
  [
    "keeps Windows line ends and the byte order mark",
    "\ufeff---\r\na: 1\r\nlast-validated: x\r\n---\r\nb\r\n",
    `\ufeff---\r\na: 1\r\nlast-validated: ${DAY}\r\n---\r\nb\r\n`,
  ],
  [
    "adds with Windows line ends",
    "---\r\na: 1\r\n...\r\nb",
    `---\r\na: 1\r\nlast-validated: ${DAY}\r\n...\r\nb`,
  ],
  ["fills in an empty block", "---\n---\nx", `---\nlast-validated: ${DAY}\n---\nx`],
  [
    "adds a block above the text",
    "# Title\r\ntext",
    `---\r\nlast-validated: ${DAY}\r\n---\r\n# Title\r\ntext`,
  ],
  ["adds a block after the byte order mark", "\ufefftext", `\ufeff---\nlast-validated: ${DAY}\n---\ntext`],
  ["adds a block above a rule", "---\nwords\n---\n", `---\nlast-validated: ${DAY}\n---\n---\nwords\n---\n`],
  ["adds a block to nothing", "", `---\nlast-validated: ${DAY}\n---\n`],
  [
    "leaves the text below alone",
    "---\na: 1\n---\nlast-validated: 2025-01-01\n",
    `---\na: 1\nlast-validated: ${DAY}\n---\nlast-validated: 2025-01-01\n`,
  ],
  [
    "leaves the same name deeper in alone",
    "---\na:\n  last-validated: 1\n---\n",
    `---\na:\n  last-validated: 1\nlast-validated: ${DAY}\n---\n`,
  ],
];

describe("validating", () => {
  test.each(edits)("%s", (_, before, expected) => {
    expect(after(before)).toBe(expected);
    expect(withValidation(expected, DAY)).toEqual({ text: expected, changed: false });
  });

  test("changes nothing if it has the date already", () => {
    const text = `---\nlast-validated: "${DAY}" # today\n---\n`;
    expect(withValidation(text, DAY)).toEqual({ text, changed: false });
  });

  test.each([
    ["---\nlast-validated: >\n  2025-01-01\n---\n", "not_editable"],
    ["---\nlast-validated:\n  2025-01-01\n---\n", "not_editable"],
    ["---\n{last-validated: 2025-01-01}\n---\n", "not_editable"],
    ["---\n{a: 1}\n---\n", "not_editable"],
    ["---\nlast-validated: &x 2025-01-01\nb: *x\n---\n", "not_editable"],
    ["---\na: |\n  x\nb: 'it\n---\n", "not_yaml"],
    ["---\na: 1\nb:\n  a: 2\na: 3\n---\n", "doubled_key"],
    ["---\na: 1\n", "no_end"],
  ])("refuses %j", (text, problem) => {
    expect(withValidation(text, DAY)).toEqual({ problem } as never);
  });
});
