// Goal: YAML that a command prints says the same in every parser, whatever the texts in it.

import { expect, test } from "bun:test";
import { yamlOf } from "../../src/kit/terminal/yaml.ts";

test("is block style, with every text in quotes", () => {
  expect(
    yamlOf({
      name: "docs",
      created_at: "2026-11-23T10:00:00Z",
      version: 7,
      isLocked: true,
      "a b": null,
      on: "off",
      none: [],
      left_out: undefined,
      nothing: {},
      files: [{ path: "a.md", tags: ["x", "12:30"] }, { path: "b.md", tags: [] }, [1, [2]], {}],
    }),
  ).toBe(
    `name: "docs"
created_at: "2026-11-23T10:00:00Z"
version: 7
"isLocked": true
"a b": null
"on": "off"
none: []
nothing: {}
files:
  - path: "a.md"
    tags:
      - "x"
      - "12:30"
  - path: "b.md"
    tags: []
  - - 1
    - - 2
  - {}
`,
  );
  expect([yamlOf([]), yamlOf("x"), yamlOf(null), yamlOf([1])]).toEqual(["[]\n", '"x"\n', "null\n", "- 1\n"]);
});

const TEXTS = [
  ..."~:#-?&*!|>%@`'\"\\{}[],= \t\n\r\u0000\u001b\u007f\u0085\u2028\ufeff\ufffe",
  "yes",
  "2026-11-23",
  "1_000",
  "<<",
  "---",
  "- a",
  "a: b",
  " #c",
  "\u{1f600}",
  "עברית",
  "\r\n",
];

test("is read back as the same value", () => {
  for (const text of TEXTS)
    // Bun takes `<<` for a merge, also in quotes.
    for (const value of [
      text,
      text === "<<" ? {} : { [text]: [text, { [text]: text }] },
      { a: { b: [[text]] } },
    ])
      expect(Bun.YAML.parse(yamlOf(value))).toEqual(value);
  // No character in it that YAML does not allow, or that ends a line elsewhere.
  expect(yamlOf(TEXTS).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/u);
});
