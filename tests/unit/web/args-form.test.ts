// Goal: a gear's args_schema becomes form fields, the fields become exactly those arguments, and schemas that no field can show fall back
// to JSON without loss.

import { describe, expect, test } from "bun:test";
import {
  collect,
  draftsOf,
  fieldsOf,
  parseArgs,
  takesFiles,
  whyJson,
} from "../../../web/screens/gears/args-fields.ts";

const fields = (properties: object, rest: object = {}) =>
  fieldsOf(JSON.stringify({ type: "object", properties, ...rest }));
const collected = (of: ReturnType<typeof fields>, drafts: Parameters<typeof collect>[1]) => {
  const { args, problems } = collect(of!, drafts);
  return { args, problems: Object.fromEntries(problems) };
};

test("maps each simple type to its kind of field", () => {
  const found = fields(
    {
      name: { type: "string", description: "of the file" },
      story: { type: "string", maxLength: 5000 },
      source: { type: "string", "x-file": true },
      count: { type: "integer", minimum: 1, maximum: 9 },
      share: { type: ["number", "null"] },
      deep: { type: "boolean", default: true },
      level: { enum: ["low", 2, null] },
      fixed: { const: "yes" },
      words: { type: "array", items: { type: "string" } },
      options: { type: "object", properties: { depth: { type: "integer" } } },
    },
    { required: ["name"] },
  );
  expect(found?.map(({ name, kind, required, nullable }) => [name, kind, required, nullable])).toEqual([
    ["name", "text", true, false],
    ["story", "text", false, false],
    ["source", "text", false, false],
    ["count", "number", false, false],
    ["share", "number", false, true],
    ["deep", "boolean", false, false],
    ["level", "choice", false, false],
    ["fixed", "choice", false, false],
    ["words", "list", false, false],
    ["options", "group", false, false],
  ]);
  expect(draftsOf(found!)).toEqual({
    name: "",
    story: "",
    source: "",
    count: "",
    share: "",
    deep: "true",
    level: "",
    fixed: "",
    words: [],
    options: { depth: "" },
  });
});

test("sends the values of the fields; omits empty ones unless they are required", () => {
  const found = fields(
    {
      name: { type: "string" },
      note: { type: "string" },
      count: { type: "integer" },
      deep: { type: "boolean" },
      level: { enum: ["low", 2] },
      gone: { type: ["string", "null"] },
      words: { type: "array", items: { type: "number" } },
      options: { type: "object", properties: { depth: { type: "integer" } } },
      empty: { type: "object", properties: { depth: { type: "integer" } } },
      any: {},
    },
    { required: ["name", "gone"] },
  );
  const drafts = {
    name: "",
    note: "",
    count: "12",
    deep: "false",
    level: "1",
    gone: "",
    words: ["1", "2.5"],
    options: { depth: "3" },
    empty: { depth: "" },
    any: '{"a": [1]}',
  };
  expect(collected(found, drafts)).toEqual({
    args: {
      name: "",
      count: 12,
      deep: false,
      level: 2,
      gone: null,
      words: [1, 2.5],
      options: { depth: 3 },
      any: { a: [1] },
    },
    problems: {},
  });
});

test("names invalid values by their path", () => {
  const found = fields(
    {
      count: { type: "integer" },
      level: { enum: ["low"] },
      words: { type: "array", items: { type: "number" } },
      options: { type: "object", properties: { depth: { type: "integer" } }, required: ["depth"] },
      any: {},
    },
    { required: ["level", "options"] },
  );
  const drafts = { count: "1.5", level: "", words: ["x"], options: { depth: "" }, any: "{" };
  expect(collected(found, drafts).problems).toEqual({
    count: "Must be a whole number.",
    level: "Required.",
    "words.0": "Not a number.",
    "options.depth": "Required.",
    any: "Not valid JSON.",
  });
});

test("says why arguments are entered as JSON", () => {
  const complex = "This gear's schema is too complex for a form.";
  const open = "This gear's schema names no arguments, so any are accepted.";
  expect(
    [
      { type: "object" },
      { type: "object", properties: {}, required: [] },
      { type: "object", required: ["a"] },
      { type: "object", oneOf: [] },
      { type: "object", properties: { a: { type: "string" } } },
    ].map((schema) => whyJson(JSON.stringify(schema))),
  ).toEqual([open, open, complex, complex, undefined]);
});

describe("falls back to JSON for", () => {
  test.each([
    ["no JSON", "{"],
    ["combined schemas", JSON.stringify({ type: "object", oneOf: [] })],
    ["names that follow a pattern", JSON.stringify({ type: "object", patternProperties: {} })],
    ["anything goes", JSON.stringify({ type: "object" })],
    [
      "something needed that is not described",
      JSON.stringify({ type: "object", properties: {}, required: ["a"] }),
    ],
  ])("the whole form: %s", (_name, schema) => {
    expect(fieldsOf(schema)).toBeUndefined();
  });

  test("a single field among simple ones", () => {
    const found = fields({
      a: { type: "string" },
      b: { anyOf: [{ type: "string" }, { type: "integer" }] },
      c: { type: "array", items: { type: "array", items: { type: "string" } } },
      d: { type: ["string", "integer"] },
      e: true,
      f: { type: "object" },
    });
    expect(found?.map(({ kind }) => kind)).toEqual(["text", "json", "json", "json", "json", "json"]);
  });

  test("shows a form without fields for no arguments", () => {
    expect(fields({}, { additionalProperties: false })).toEqual([]);
  });
});

test("converts arguments from JSON to fields and back unchanged", () => {
  const found = fields({
    name: { type: "string" },
    count: { type: "integer" },
    deep: { type: "boolean" },
    level: { enum: ["low", 2] },
    words: { type: "array", items: { type: "string" } },
    options: { type: "object", properties: { depth: { type: "number" } } },
    any: {},
  });
  const args = {
    name: "a\nb",
    count: 3,
    deep: false,
    level: 2,
    words: ["x", ""],
    options: { depth: 0.5 },
    any: [null],
  };
  expect(collect(found!, draftsOf(found!, args)).args).toEqual({ ...args, words: ["x", ""] });
});

test("treats __proto__ as an ordinary property", () => {
  const found = fieldsOf('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
  const { args } = collect(
    found!,
    draftsOf(found!, JSON.parse('{"__proto__":"x"}') as Record<string, unknown>),
  );
  expect(JSON.stringify(args)).toBe('{"__proto__":"x"}');
});

test("requires JSON to be one object", () => {
  expect(parseArgs(" ")).toEqual({ args: {} });
  expect(parseArgs('{"a":1}')).toEqual({ args: { a: 1 } });
  expect(parseArgs("[1]")).toEqual({ problem: "Enter one JSON object: { … }." });
  expect(parseArgs("{")).toEqual({ problem: expect.stringContaining("Not valid JSON") as string });
});

test("detects whether workspace files are needed", () => {
  const schema = (mark: unknown) =>
    JSON.stringify({ type: "object", properties: { a: { type: "string", "x-file": mark } } });
  expect([schema(true), schema(false), "{", "[]"].map(takesFiles)).toEqual([true, false, false, false]);
});
