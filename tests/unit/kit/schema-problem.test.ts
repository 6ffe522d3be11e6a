// Goal: what is wrong with a value is said in words that name the field and what is expected, whatever the schema.

import { expect, test } from "bun:test";
import { Type, type TSchema } from "@sinclair/typebox";
import { firstProblem } from "../../../src/kit/schema-problem.ts";
import { closed, EXPECTED, nullable, oneOf } from "../../../src/kit/schema.ts";

const problemOf = (schema: TSchema, value: unknown) => firstProblem(schema, value, { whole: "body" });

test.each<[string, TSchema, unknown]>([
  ["expected a string", Type.String(), 1],
  ["expected an integer", Type.Integer(), 1.5],
  ["expected a number", Type.Number(), "1"],
  ["expected true or false", Type.Boolean(), "yes"],
  ["expected a list", Type.Array(Type.String()), {}],
  ["expected an object", closed({}), []],
  ["expected null", Type.Null(), 1],
  ["expected one of: fast, slow", oneOf(["fast", "slow"]), "other"],
  ["expected fast", Type.Literal("fast"), "other"],
  ["expected a string or an integer", Type.Union([Type.String(), Type.Integer()]), true],
  ["expected a switch", Type.Union([Type.Boolean(), Type.String()], { [EXPECTED]: "a switch" }), []],
  ["at most 3 characters", nullable(Type.String({ maxLength: 3 })), "four"],
  ["must not be empty", Type.String({ minLength: 1 }), ""],
  ["at least 3 characters", Type.String({ minLength: 3 }), ""],
  ["expected a string that matches ^a$", Type.String({ pattern: "^a$" }), "b"],
  ["must not be empty", Type.Array(Type.String(), { minItems: 1 }), []],
  ["at least 2 items", Type.Array(Type.String(), { minItems: 2 }), []],
  ["at most 1 items", Type.Array(Type.String(), { maxItems: 1 }), ["a", "b"]],
  ["at least 1", Type.Integer({ minimum: 1 }), 0],
  ["at most 1", Type.Number({ maximum: 1 }), 2],
])("%s", (problem, schema, value) => {
  expect(problemOf(schema, value)).toBe(`body: ${problem}`);
  expect(problemOf(closed({ a: closed({ b: schema }) }), { a: { b: value } })).toBe(`a.b: ${problem}`);
});

test("names missing and unknown fields", () => {
  const schema = closed({ name: Type.String() });
  expect(problemOf(schema, {})).toBe("name: missing");
  expect(problemOf(schema, { name: "a", "b/c~d": 1 })).toBe("b/c~d: unknown field");
  expect(problemOf(schema, { name: "a", ["x".repeat(500)]: 1 })).toBe(`${"x".repeat(100)}: unknown field`);
  expect(problemOf(schema, { name: "a" })).toBeUndefined();
  const parts = { whole: "the file", place: ["ops", "3"], member: "key" } as const;
  expect(firstProblem(schema, { name: "a", b: 1 }, parts)).toBe("ops.3.b: unknown key");
});

test("for a field that cannot change, names those that can", () => {
  const schema = Type.Object(
    { name: Type.Optional(Type.String()) },
    { additionalProperties: false, "x-immutable": ["id"] },
  );
  expect(problemOf(schema, { id: 1 })).toBe("id: cannot be changed; this request can change: name");
});
