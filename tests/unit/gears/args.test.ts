// Goal: schemas of people and models are fully checked, and none can block the service.

import { expect, spyOn, test } from "bun:test";
import { Script } from "node:vm";
import { array, assert, boolean, constantFrom, property } from "fast-check";
import { threadTimeMs } from "../../../src/kit/clock.ts";
import { filesIn } from "../../../src/service/gears/args-checks.ts";
import {
  argsSchema,
  checkArgs,
  checkArgsSchema,
  CHECK_DEADLINE_MS,
} from "../../../src/service/gears/args.ts";
import { patternProblem } from "../../../src/service/gears/patterns.ts";
import { refusal, refusalText } from "../../kit/http/refusal.ts";

/** A second copy of the module. */
const FRESH = "fresh";

const schemaOf = (properties: unknown, more: object = {}) =>
  JSON.stringify({ type: "object", properties, ...more });

/** Each level refers to the next twice: 2^levels checks. */
function doubling(levels: number): string {
  const defs: Record<string, unknown> = { [`a${levels}`]: { type: "string" } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/a${level + 1}` };
    defs[`a${level}`] = { anyOf: [next, next] };
  }
  return schemaOf({ x: { $ref: "#/$defs/a0" } }, { $defs: defs });
}

test("supports both drafts", () => {
  const draft07 = schemaOf(
    { pair: { type: "array", items: [{ type: "integer" }, { type: "string" }] } },
    { $schema: "http://json-schema.org/draft-07/schema#" },
  );
  checkArgsSchema(draft07);
  expect(argsSchema(draft07).problemOf({ pair: [1, 2] })).toEqual({
    path: "pair.1",
    message: "must be string",
  });
  const draft2020 = schemaOf(
    { pair: { type: "array", prefixItems: [{ type: "integer" }] } },
    { $schema: "https://json-schema.org/draft/2020-12/schema" },
  );
  checkArgsSchema(draft2020);
  expect(argsSchema(draft2020).problemOf({ pair: ["x"] })).toEqual({
    path: "pair.0",
    message: "must be integer",
  });
});

test("a problem names its path and says what is expected", () => {
  const schema = argsSchema(
    schemaOf({
      kind: { enum: ["a", 1] },
      deep: { type: "object", required: ["x"], additionalProperties: false },
      "a/b": { type: "string" },
    }),
  );
  expect(schema.problemOf({ kind: "b" })).toEqual({ path: "kind", message: 'expected one of: "a",1' });
  expect(schema.problemOf({ deep: {} })).toEqual({ path: "deep.x", message: "missing" });
  expect(schema.problemOf({ deep: { x: 1 } })).toEqual({ path: "deep.x", message: "unknown field" });
  expect(schema.problemOf({ "a/b": 1 })).toEqual({ path: "a/b", message: "must be string" });
  expect(schema.problemOf({ kind: 1 })).toBeUndefined();
});

test("aborts endless work at the deadline", () => {
  const schema = argsSchema(doubling(40));
  const start = threadTimeMs();
  expect(schema.problemOf({ x: 1 })).toEqual({
    path: "",
    message: "cannot be checked against args_schema: too deep, or takes too long",
  });
  expect(threadTimeMs() - start).toBeLessThan(CHECK_DEADLINE_MS * 8);
  expect(argsSchema(schemaOf({ n: { type: "integer" } })).problemOf({ n: 1 })).toBeUndefined();
});

test("takes no time of a busy machine for time of the work", () => {
  const schema = argsSchema(schemaOf({ n: { type: "integer" } }));
  let asked = 0;
  const args = {
    get n() {
      // The first time, the thread is kept from the processor until after the deadline.
      if (asked++ === 0) Bun.sleepSync(2 * CHECK_DEADLINE_MS);
      return 1;
    },
  };
  expect(schema.problemOf(args)).toBeUndefined();
});

test("is not broken by an interruption of its first check", async () => {
  const run = Script.prototype.runInContext;
  let isFirst = true;
  using _ = spyOn(Script.prototype, "runInContext").mockImplementation(function (
    this: Script,
    context,
    options,
  ) {
    const timeout = isFirst ? 1 : (options as { timeout: number }).timeout;
    isFirst = false;
    return run.call(this, context, { timeout }) as unknown;
  });
  const fresh = (await import(`../../../src/service/gears/args.ts?${FRESH}`)) as {
    checkArgsSchema: typeof checkArgsSchema;
  };
  for (const draft of [undefined, "http://json-schema.org/draft-07/schema#"]) {
    isFirst = true;
    fresh.checkArgsSchema(JSON.stringify({ ...(draft && { $schema: draft }), type: "object" }));
  }
});

test("reports arguments that are nested too deeply instead of crashing", () => {
  const schema = argsSchema(JSON.stringify({ type: "object", properties: { a: { $ref: "#" } } }));
  let args: Record<string, unknown> = {};
  for (let depth = 0; depth < 200_000; depth++) args = { a: args };
  expect(schema.problemOf(args)?.message).toBe(
    "cannot be checked against args_schema: too deep, or takes too long",
  );
});

test("checks uniqueItems in linear time", () => {
  const schema = argsSchema(schemaOf({ list: { type: "array", uniqueItems: true } }));
  const many = Array.from({ length: 50_000 }, (_, index) => ({ index }));
  expect(schema.problemOf({ list: many })).toBeUndefined();
  expect(schema.problemOf({ list: [{ a: 1 }, { a: 1 }] })).toEqual({
    path: "list",
    message: "must not contain an item twice",
  });
});

test("refuses patterns that could run too long, and accepts ordinary ones", async () => {
  const accepted = [
    "^[a-z]+$",
    String.raw`^\d+\.\d+\.\d+$`,
    "^[^@]+@[^@]+\\.[^@]+$",
    "foo|bar",
    "^([0-9a-f]{2}){16}$",
    "^(foo|bar)?$",
    String.raw`^\p{L}{1,20}$`,
    String.raw`^\(\d{3}\) \d+$`,
  ];
  expect(accepted.filter((pattern) => patternProblem(pattern) !== undefined)).toEqual([]);
  const repeats = "a group that repeats or branches inside must not be repeated";
  expect(
    ["(a+)+", "^(a|a)*$", "^(a?){50}$", "^((a{1,3})b?){9}$", "(?:x(?:y+))*"].map(patternProblem),
  ).toEqual(Array.from({ length: 5 }, () => repeats));
  const trades = "too many interchangeable repetitions; use fewer, with counts, and start with ^";
  expect(["a?".repeat(40), "a+b+c+d+", "a{0,90}".repeat(9)].map(patternProblem)).toEqual([
    trades,
    trades,
    trades,
  ]);
  expect(["(?=a)b", "(?<!a)b"].map(patternProblem)).toEqual([
    "look-around is not accepted",
    "look-around is not accepted",
  ]);
  expect(patternProblem(String.raw`(a)\1`)).toBe("back-references are not accepted");
  expect(patternProblem("[")).toBe("not a valid regular expression");
  expect(patternProblem("a".repeat(501))).toBe("longer than 500 characters");
  expect(
    await refusalText(() => checkArgsSchema(schemaOf({ a: { type: "string", pattern: "(a+)+" } }))),
  ).toBe(`invalid: args_schema: pattern "(a+)+": ${repeats}`);
  expect(await refusalText(() => checkArgsSchema(schemaOf({}, { patternProperties: { "(a+)+": {} } })))).toBe(
    `invalid: args_schema: pattern "(a+)+": ${repeats}`,
  );
});

test("matches every accepted pattern in bounded time", () => {
  const piece = constantFrom(
    "a",
    "b",
    "a+",
    "a*",
    "b?",
    "[ab]",
    "[ab]*",
    "a{2,9}",
    "(a|b)",
    "(ab)",
    "(a+)",
    "(ab)*",
    "(a?b)?",
    "|",
    ".*",
  );
  assert(
    property(array(piece, { maxLength: 12 }), boolean(), (pieces, anchored) => {
      const pattern = (anchored ? "^" : "") + pieces.join("") + "$";
      if (patternProblem(pattern) !== undefined) return;
      const expression = new RegExp(pattern, "u");
      const start = threadTimeMs();
      for (const text of [`${"a".repeat(499)}!`, `${"ab".repeat(249)}!`]) expression.test(text);
      expect(threadTimeMs() - start).toBeLessThan(5000);
    }),
    { numRuns: 300, seed: 7 },
  );
});

test("treats an invalid null as absent, and keeps a valid one", () => {
  const text = schemaOf({ a: { type: ["integer", "null"] }, b: { type: "string" } });
  const checked = (json: string, nullIsAbsent = true) => checkArgs({ schema: text, json, nullIsAbsent });
  expect(checked('{"a":null,"b":"x"}')).toEqual({ ok: true, args: { a: null, b: "x" } });
  expect(checked('{"a":1,"b":null}')).toEqual({ ok: true, args: { a: 1 } });
  expect(checked('{"a":1,"b":null}', false)).toEqual({
    ok: false,
    problem: { path: "b", message: "must be string" },
  });
});

test("finds files in marked properties only, and only in texts", () => {
  const schema = schemaOf({
    one: { type: "string", "x-file": true },
    many: { type: "array", "x-file": true },
    plain: { type: "string" },
  });
  expect(filesIn(schema, { one: "a", many: ["b", 1, "c"], plain: "d" })).toEqual(["a", "b", "c"]);
  expect(filesIn(schema, {})).toEqual([]);
  expect(filesIn('{"type":"object"}', { one: "a" })).toEqual([]);
});

test("refuses a schema with too many parts, which would block the thread to compile", () => {
  const schema = (count: number) =>
    JSON.stringify({
      type: "object",
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
    });
  expect(() => checkArgsSchema(schema(298))).not.toThrow();
  expect(() => checkArgsSchema(schema(299))).toThrow(
    expect.objectContaining({
      code: "invalid",
      details: { field: "args_schema", problem: "at most 300 objects and lists in it", limit: 300 },
    }),
  );
});

test("names the field of a schema that is not of an object, so that a form shows it there", () => {
  const details = { field: "args_schema", problem: 'its root must have "type": "object"' };
  expect(() => checkArgsSchema('{"type":"string"}')).toThrow(expect.objectContaining({ details }));
});

test("refuses a schema that is nested too deeply", async () => {
  const deep = `{"type":"object","x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
  await refusal(() => checkArgsSchema(deep), "invalid", "args_schema: nested more than 64 levels deep");
});
