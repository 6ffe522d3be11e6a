// Goal: the documents without a rule are found once for the same lists, and again for other ones.

import { expect, test } from "bun:test";
import type { Freshness } from "../../../src/context/freshness/schema.ts";
import { Undeclared } from "../../../src/context/freshness/undeclared.ts";

const declared = (...paths: string[]) => paths.map((path) => ({ path }) as Freshness);

test("leaves out documents with a rule, in the order of the paths", async () => {
  const undeclared = new Undeclared();
  const paths = ["a.md", "b.md", "\u{1f600}.md", "\uffee.md"];
  expect(await undeclared.among(paths, declared("\uffee.md", "a.md"))).toEqual(["b.md", "\u{1f600}.md"]);
  expect(await undeclared.among(paths, [])).toEqual(paths);
  expect(await undeclared.among([], declared("a.md"))).toEqual([]);
});

test("reuses the answer for the same lists, and computes another for a changed one", async () => {
  const undeclared = new Undeclared();
  const [paths, documents] = [["a.md", "b.md"], declared("a.md")];
  const first = await undeclared.among(paths, documents);
  expect(await undeclared.among(paths, documents)).toBe(first);
  expect(await undeclared.among(["a.md", "b.md", "c.md"], documents)).toEqual(["b.md", "c.md"]);
  expect(await undeclared.among(paths, declared("b.md"))).toEqual(["a.md"]);
  expect(await undeclared.among(paths, documents)).toEqual(["b.md"]);
});
