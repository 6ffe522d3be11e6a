// Goal: front matter is parsed if present, and broken, hostile or overlong front matter counts as none.

import { expect, test } from "bun:test";
import { frontMatterOf } from "../../../src/context/versioned-store/front-matter.ts";
import { apply, put, sqliteBench } from "../../kit/store/file-engine.ts";

/** In CPU time. */
const LIMIT_US = 1_000_000;

test("returns the fields of a document", () => {
  const fields = { owner: "ann", "last-validated": "2026-01-02", "stale-after": "30d", tags: ["a", "b"] };
  const yaml = "owner: ann\nlast-validated: 2026-01-02\nstale-after: 30d\ntags: [a, b]\n";
  for (const text of [
    `---\n${yaml}---\n# x`,
    `\ufeff---  \n${yaml}---\t\nx`,
    `---\n${yaml}...\n`,
    `---\n${yaml}---`,
  ]) {
    expect(frontMatterOf(text)).toEqual(fields);
    expect(frontMatterOf(text.replaceAll("\n", "\r\n"))).toEqual(fields);
  }
});

test("returns none without front matter", () => {
  const texts = [
    "",
    "---",
    "---\n",
    "---\n---\n",
    "---\na: 1\n",
    " ---\na: 1\n---\n",
    "\n---\na: 1\n---\n",
    "----\na: 1\n---\n",
    "x\n---\na: 1\n---\n",
    "---\n- a\n---\n",
    "---\ntext\n---\n",
    "---\na: [\n---\n",
    "---\na: 1\n----\n",
  ];
  expect(texts.map(frontMatterOf)).toEqual(texts.map(() => undefined));
});

test("accepts up to the maximum length; a cut is not an end", () => {
  const long = (length: number) => `---\na: ${"x".repeat(length - 4)}\n---\n`;
  expect(Object.keys(frontMatterOf(long(16_000))!)).toEqual(["a"]);
  expect(frontMatterOf(long(17_000))).toBeUndefined();
  for (let length = 16_370; length < 16_400; length++)
    expect(frontMatterOf(`---\na: b\n# ${"x".repeat(length - 8)}\n---no end\n`)).toBeUndefined();
});

const references = Array.from(
  { length: 12 },
  (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(", ")}]`,
);
const hostile: [name: string, yaml: string][] = [
  ["references of references", `a0: &a0 [1, 2, 3]\n${references.join("\n")}`],
  ["a value that holds itself", "a: &a [*a]"],
  ["deep brackets", `a: ${"[".repeat(16_000)}`],
  ["deep braces", `a: ${"{a: ".repeat(4_000)}`],
  ["deep dashes", `a:\n  ${"- ".repeat(8_000)}x`],
  ["deep question marks", `${"? ".repeat(8_000)}x`],
];

for (const [name, yaml] of hostile)
  test(`${name}: quickly none, and the document is written`, async () => {
    const started = process.cpuUsage();
    expect(frontMatterOf(`---\n${yaml}\n---\n`)).toBeUndefined();
    expect(process.cpuUsage(started).user).toBeLessThan(LIMIT_US);
    await using bench = await sqliteBench();
    await apply(bench.engine, [put("a.md", `---\n${yaml}\n---\n# x`)]);
    expect(bench.engine.totals().files).toBe(1);
  });
