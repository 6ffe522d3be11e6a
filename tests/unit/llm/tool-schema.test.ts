// Goal: models' servers get no keyword that one of them refuses, and a schema that means the same to a model.

import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { schemaWithoutLimits, sentSchema } from "../../../src/service/llm/tool-schema.ts";
import { world } from "../../kit/service/world.ts";
import { call, say } from "../../kit/model/index.ts";

const REFUSED = new Set(["const", "patternProperties", "minLength", "maxLength", "$schema"]);

function keywordsOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== "object" || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    found.add(key);
    keywordsOf(value, found);
  }
  return found;
}

test("sends none of the keywords in any tool", async () => {
  await using lab = await world({ protocol: "openai-compatible", workers: ["ann", "bob"] });
  lab.model.script("boss", [call("delegate", { agent: "ann", task: "" }), say("Done.")]);
  expect((await lab.chat("hello")).turn.status).toBe("done");
  const [first] = lab.model.requests;
  expect([...keywordsOf(first!.tools.map(({ schema }) => schema))].filter((key) => REFUSED.has(key))).toEqual(
    [],
  );
  expect(first!.tools.find(({ name }) => name === "delegate")!.schema).toMatchObject({
    properties: { agent: { type: "string", enum: ["ann", "bob"] } },
  });
  // The limits that are not sent still hold.
  expect(lab.model.resultsOf("boss")[0]).toStartWith("The arguments are not valid: task:");
});

test.each([
  [Type.Literal("a"), { type: "string", enum: ["a"] }],
  [
    Type.Union([Type.Literal("a"), Type.Literal("b")], { description: "d" }),
    { description: "d", type: "string", enum: ["a", "b"] },
  ],
  [
    Type.Union([Type.Literal("a"), Type.Literal(1)]),
    {
      anyOf: [
        { type: "string", enum: ["a"] },
        { type: "number", enum: [1] },
      ],
    },
  ],
  [Type.Record(Type.String(), Type.Unknown()), { type: "object", additionalProperties: true }],
  [
    { $schema: "s", type: "object", properties: { const: { type: "string", maxLength: 9 }, maxLength: {} } },
    { type: "object", properties: { const: { type: "string" }, maxLength: {} } },
  ],
  [
    { type: "array", maxItems: 3, items: { const: null }, default: { const: 1 } },
    { type: "array", maxItems: 3, items: { enum: [null] }, default: { const: 1 } },
  ],
])("rewrites %j", (schema, sent) => {
  expect(JSON.parse(JSON.stringify(sentSchema(schema)))).toEqual(sent);
});

test("leaves out all limits for a server that could not make a grammar of them", () => {
  const item = { type: "string", pattern: "^\\d+$", format: "date" };
  const schema = {
    type: "object",
    properties: { pattern: item, ids: { type: "array", maxItems: 9, items: item } },
    required: ["ids"],
  };
  expect(schemaWithoutLimits(schema)).toEqual({
    type: "object",
    properties: { pattern: { type: "string" }, ids: { type: "array", items: { type: "string" } } },
    required: ["ids"],
  });
});
