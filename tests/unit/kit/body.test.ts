// Goal: a body of JSON is read to its limits and no further: bytes, and how deep it is nested, wherever its brackets stand.

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { readJson } from "../../../src/kit/http/body.ts";
import {
  JSON_DEPTH_MAX,
  JSON_ESCAPES_MAX,
  JSON_KEYS_MAX,
  JSON_NAMES_MAX,
  JSON_TEXTS_MAX,
  JSON_VALUES_MAX,
} from "../../../src/kit/text/json-shape.ts";
import { guardedRequest } from "../../kit/http/guarded-request.ts";

const read = (body: string, bytesMax?: number) => readJson(guardedRequest(body), bytesMax);

const deep = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);

describe("nesting", () => {
  test("as deep as the limit is read, one more is refused", async () => {
    expect(JSON.stringify(await read(deep(JSON_DEPTH_MAX)))).toBe(deep(JSON_DEPTH_MAX));
    const refusal = { code: "invalid", message: "the body is nested more than 64 deep" };
    await expect(read(deep(JSON_DEPTH_MAX + 1))).rejects.toMatchObject(refusal);
    await expect(read("[".repeat(JSON_DEPTH_MAX + 1))).rejects.toMatchObject(refusal);
    await expect(read(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`)).rejects.toMatchObject(refusal);
    await expect(read(`["\\\\",${deep(JSON_DEPTH_MAX)}]`)).rejects.toMatchObject(refusal);
  });

  test("brackets in texts are texts, however these end", async () => {
    for (const text of ["[".repeat(100), `\\"${"{".repeat(100)}`, `\\\\${"["}`, '"[[', "\\", ""]) {
      const value = { a: Array.from({ length: 100 }, () => text), [text]: text };
      expect(await read(JSON.stringify(value))).toEqual(value);
    }
  });

  test("more keys, texts or values than any request needs are refused before they are parsed", async () => {
    const many = (count: number, one: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => one(index)).join(",");
    const cases = {
      keys: [JSON_KEYS_MAX, (count: number) => `[${many(count, () => '{"a" : 1}')}]`],
      "different keys": [JSON_NAMES_MAX, (count: number) => `{${many(count, (index) => `"${index}" : 1`)}}`],
      strings: [JSON_TEXTS_MAX, (count: number) => `[${many(count, (index) => `"${index}:,"`)}]`],
      values: [JSON_VALUES_MAX, (count: number) => `[${many(count, () => "1")}]`],
    } as const;
    for (const [what, [max, made]] of Object.entries(cases)) {
      expect(await read(made(max))).toEqual(JSON.parse(made(max)));
      const refusal = { code: "invalid", message: `the body has more than ${max} ${what}` };
      await expect(read(made(max + 1))).rejects.toMatchObject(refusal);
    }
  });

  test("more escaped characters than any file needs are refused before they are parsed", async () => {
    const bytesMax = 6 * 1024 * 1024;
    const made = (piece: string, count: number) => JSON.stringify({ a: "x", b: piece.repeat(count) });
    for (const piece of ['"', "\n", "\\", "\u0001"]) {
      const full = made(piece, JSON_ESCAPES_MAX);
      expect(await read(full, 2 * bytesMax)).toEqual(JSON.parse(full));
      await expect(read(made(piece, JSON_ESCAPES_MAX + 1), 2 * bytesMax)).rejects.toMatchObject({
        code: "invalid",
        message: `the body has more than ${JSON_ESCAPES_MAX} escaped characters`,
      });
    }
    // Code of 4 MiB in lines of ten characters.
    const code = made(`"${"x".repeat(8)}\n`, (4 * 1024 * 1024) / 10);
    expect(await read(code, bytesMax)).toEqual(JSON.parse(code));
  });

  test("siblings do not count as nesting", async () => {
    const value = Array.from({ length: 10_000 }, () => ({ a: [{}] }));
    expect(await read(JSON.stringify(value))).toEqual(value);
  });

  test("any JSON is read unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 20 }), async (text) => {
        expect(await read(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
