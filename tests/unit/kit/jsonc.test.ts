// Goal: JSON with comments is read like the runtime's own parser reads it, with places that are true, and a broken text names its line.

import { describe, expect, test } from "bun:test";
import { assert, constantFrom, jsonValue, property } from "fast-check";
import { parseJsonc, type JsonNode } from "../../../src/kit/text/jsonc.ts";
import { refusal } from "../../kit/http/refusal.ts";

function valueOf(node: JsonNode): unknown {
  if (node.kind === "array") return node.entries.map((entry) => valueOf(entry.node));
  if (node.kind === "value") return node.value;
  return Object.fromEntries(node.entries.map(({ key, node: inner }) => [key, valueOf(inner)]));
}

test("reads every JSON value, and each place holds that value", () => {
  const places = (text: string, node: JsonNode): void => {
    expect(JSON.parse(text.slice(node.start, node.end))).toEqual(valueOf(node));
    for (const entry of node.entries) places(text, entry.node);
  };
  assert(
    property(jsonValue(), constantFrom(undefined, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const node = parseJsonc(text)!;
      // __proto__ as a key is no member of a plain object.
      if (text.includes("__proto__")) return;
      expect(valueOf(node)).toEqual(JSON.parse(text));
      places(text, node);
    }),
  );
});

test("skips comments, trailing commas and a byte order mark", () => {
  const text = '\ufeff// one\n{ /* two */ "a": [1, 2,], // three\n "b//": "/* no */", }\n/* four */';
  expect(valueOf(parseJsonc(text)!)).toEqual(Bun.JSONC.parse(text.slice(1)));
  expect(parseJsonc(" // nothing\n")).toBeUndefined();
});

describe("refuses", () => {
  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', "line 3: expected , or }"],
    ["{\n a: 1 }", 'line 2: expected a key in "…"'],
    ['{"a" 1}', "line 1: expected : after the key"],
    ['{"a": }', "line 1: expected a value"],
    ["[1,,2]", "line 1: expected a value"],
    ['{"a": "x\n"}', 'line 1: this text has no closing "'],
    [String.raw`["\x"]`, "line 1: this text has a character that must be escaped, or a wrong escape"],
    ["{\n/* no end", "line 2: this comment has no closing */"],
    ["{} {}", "line 1: expected the end of the file"],
    ["{", 'line 1: expected a key in "…"'],
    ["[".repeat(100), "line 1: nested deeper than 64 levels"],
  ])("%j", async (text, message) => {
    await refusal(() => parseJsonc(text), "invalid", message, { line: Number(/\d+/.exec(message)![0]) });
  });
});
