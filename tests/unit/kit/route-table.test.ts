// Goal: a query parameter counts once unless its schema says that it is a list, and is a number where its schema says integer.

import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { RouteTable } from "../../../src/kit/http/route-table.ts";
import { fromText } from "../../../src/kit/http/text-params.ts";
import { closed } from "../../../src/kit/schema.ts";

const query = closed({ limit: Type.Optional(Type.String()), tag: Type.Optional(Type.Array(Type.String())) });
const table = new RouteTable(() => [
  { method: "GET", path: "/things", hooks: { query } },
  { method: "POST", path: "/things", hooks: {} },
]);

test("accepts a list several times, and a plain parameter once", () => {
  for (const text of ["", "limit=1", "tag=a&limit=1&tag=b"]) table.takeQuery("GET", "/things", text, {});
});

test("refuses a plain parameter that comes twice, also for HEAD", () => {
  for (const method of ["GET", "HEAD"])
    expect(() => table.takeQuery(method, "/things", "tag=a&limit=1&limit=2", {})).toThrow(
      expect.objectContaining({
        code: "invalid",
        details: { in: "query", field: "limit", problem: "given more than once" },
      }),
    );
});

test("refuses any parameter where a route has none", () => {
  expect(() => table.takeQuery("POST", "/things", "x=1", {})).toThrow(
    expect.objectContaining({ code: "invalid", details: expect.objectContaining({ field: "x" }) }),
  );
});

test("turns integers into numbers, and leaves other text alone", () => {
  const numbered = fromText(
    closed({ limit: Type.Integer(), before: Type.Optional(Type.Integer()), name: Type.String() }),
  );
  const things = new RouteTable(() => [{ method: "GET", path: "/things", hooks: { query: numbered } }]);
  const values = { limit: "7", name: "7" };
  things.takeQuery("GET", "/things", "limit=7&name=7", values);
  expect<object>(values).toEqual({ limit: 7, name: "7" });
});
