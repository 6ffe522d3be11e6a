// Goal: YAML that people write names the line of an error and refuses a key that is given twice, and nothing else that is valid.

import { describe, expect, test } from "bun:test";
import { readYaml } from "../../../src/kit/text/yaml-file.ts";
import { refusal } from "../../kit/http/refusal.ts";

/** In CPU time: quadratic growth would take minutes. */
const LONG_LIMIT_US = 1_000_000;

const doubled: readonly [text: string, line: number, key: string][] = [
  ["listen: 1\nlisten: 2\n", 2, "listen"],
  ["a:\n  x: 1\n  y: 2\n\n  # again\n  x: 3\n", 6, "x"],
  ["a:\n  x: 1\nb: 1\r\na:\n  y: 1\n", 4, "a"],
  ["list:\n- name: a\n  key: 1\n  name: b\n", 4, "name"],
  ["list:\n  - - x: 1\n      x: 2\n", 3, "x"],
  ["text: |\n  a: 1\n  a: 2\ntext: b\n", 4, "text"],
  ['"a b": 1\n"a b": 2\n', 2, '"a b"'],
];
const single: readonly [text: string, value: unknown][] = [
  ["", {}],
  ["# nothing\n", {}],
  ["a:\n  x: 1\nb:\n  x: 1\n", { a: { x: 1 }, b: { x: 1 } }],
  ["a:\n  b:\n    x: 1\n  x: 2\nx: 3\n", { a: { b: { x: 1 }, x: 2 }, x: 3 }],
  [
    "l:\n  - x: 1\n    y: 1\n  - x: 2\n    y: 2\n",
    {
      l: [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
    },
  ],
  ["l:\n- x: 1\n- x: 2\nx: 3\n", { l: [{ x: 1 }, { x: 2 }], x: 3 }],
  ["t: |\n  a: 1\n\n  a: 2\nu: >-\n   b: 1\n   b: 1\n", { t: "a: 1\n\na: 2\n", u: "b: 1 b: 1" }],
  ['h: ["http://a:1", "http://a:1"]\nk: { a: 1 }\n', { h: ["http://a:1", "http://a:1"], k: { a: 1 } }],
  ["l:\n  - http://a:1\n  - http://a:1\n", { l: ["http://a:1", "http://a:1"] }],
];

describe("YAML that people write", () => {
  test.each(doubled)("refuses %j", async (text, line, key) => {
    await refusal(
      () => readYaml("config x", text),
      "invalid",
      `config x: near line ${line}: ${key}: given twice`,
      { reason: "doubled_key" },
    );
  });
  test.each(single)("reads %j", (text, value) => {
    expect(readYaml("config x", text)).toEqual(value);
  });
  test("takes linear time on a line of any length", () => {
    const long = `a: 1\n? "${" ".repeat(200_000)}"\n: x${" ".repeat(200_000)}y\n`;
    const before = process.cpuUsage().user;
    expect(readYaml("config x", long)).toMatchObject({ a: 1 });
    expect(process.cpuUsage().user - before).toBeLessThan(LONG_LIMIT_US);
  });
  test("names the line where it stops to be YAML", async () => {
    const reading = () => readYaml("config x", "a: 1\nb: [1,\nc: 2\n");
    await refusal(reading, "invalid", /^config x: near line \d: YAML/, { reason: "syntax" });
  });
});
