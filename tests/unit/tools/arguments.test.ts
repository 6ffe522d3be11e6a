// Goal: any arguments of a model become checked values or a sentence that it can act on; null means absent, never "clear".

import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import * as fc from "fast-check";
import { closed, oneOf } from "../../../src/kit/schema.ts";
import { parseArguments } from "../../../src/service/tools/arguments.ts";
import { toolNameAsSent } from "../../../src/service/llm/model.ts";

const Input = closed({
  name: Type.String(),
  mode: Type.Optional(oneOf(["fast", "slow"])),
  count: Type.Optional(Type.Integer({ minimum: 1 })),
});
const wrong = (what: string, hint = "") => ({
  ok: false,
  problem: `The arguments are not valid: ${what}.${hint} Nothing was done; correct them and call again.`,
});
const notAnObject = {
  ok: false,
  problem: "The arguments are not a JSON object. Call the tool again with a valid JSON object.",
};

test.each([
  ['{"name":"a"}', { ok: true, value: { name: "a" } }],
  ['{"name":"a","mode":null,"count":null}', { ok: true, value: { name: "a" } }],
  ["", wrong("name: missing")],
  ['{"name":null}', wrong("name: expected a string")],
  ['{"name":1}', wrong("name: expected a string")],
  ['{"name":"a","mode":"other"}', wrong("mode: expected one of: fast, slow")],
  ['{"name":"a","count":0}', wrong("count: at least 1")],
  ['{"name":"a","nmae":"b"}', wrong("nmae: unknown field", " The tool's fields: name, mode, count.")],
  ['{"name":"a"', notAnObject],
  ["[]", notAnObject],
  ["null", notAnObject],
  ['"text"', notAnObject],
] as const)("%s", (json, parsed) => {
  expect(parseArguments(Input, json)).toEqual(parsed as never);
});

test("never raises, whatever a model writes", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (json) => void parseArguments(Input, json)));
});

test("sends tool names that both protocols accept", () => {
  expect(["delegate", "web search!", "", "a.b", "x".repeat(99)].map(toolNameAsSent)).toEqual([
    "delegate",
    "web_search_",
    "unnamed",
    "a_b",
    "x".repeat(64),
  ]);
});
