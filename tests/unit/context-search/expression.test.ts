// Goal: a regular expression matches lines, in time linear in the text, and says what is wrong with it.

import { expect, test } from "bun:test";
import { compileExpression, requiredLiteral } from "../../../src/context/search/expression.ts";
import { refusal } from "../../kit/http/refusal.ts";

async function matches(expression: string, text: string, ignoreCase = false): Promise<string[]> {
  const { spans } = await compileExpression(expression, ignoreCase);
  return spans(text).map(({ start, end }) => text.slice(start, end));
}

test("matches stay within one line, at its real start and end", async () => {
  const text = "\nalpha beta\ngamma\nalpha\n\tbeta end";
  expect(await matches("^alpha", text)).toEqual(["alpha", "alpha"]);
  expect(await matches("beta$", text)).toEqual(["beta"]);
  expect(await matches("alpha\\s+beta", text)).toEqual(["alpha beta"]);
  expect(await matches("[^x]+a$", text)).toEqual(["alpha beta", "gamma", "alpha"]);
  expect(await matches("GAMMA|END", text, true)).toEqual(["gamma", "end"]);
  expect(await matches("\\bunique\\d+\\b", "unique1 unique2x unique3")).toEqual(["unique1", "unique3"]);
});

test("an expression that would take exponential time elsewhere takes none", async () => {
  const hostile = `${"a".repeat(50_000)}b`;
  for (const expression of ["^(a+)+$", "(a|aa)+$", "(.*)*x", "a*a*a*a*a*a*c"])
    expect(await matches(expression, hostile)).toEqual([]);
});

test("a literal that every match contains is found, and never a wrong one", () => {
  const cases: [string, string | undefined][] = [
    ["zebra", "zebra"],
    ["zebra?", "zebr"],
    ["zebra+fish", "zebr"],
    ["^some plain.*text$", "some plain"],
    ["ab", undefined],
    ["one|three", undefined],
    ["(abc)", undefined],
    ["[abc]def", undefined],
    ["a{100}", undefined],
    ["={10,20}", undefined],
    ["zebra{3,10} crossing", " crossing"],
    ["map{key,12}", "key,12"],
    ["\\Qabc\\E", undefined],
  ];
  for (const [expression, literal] of cases)
    expect([expression, requiredLiteral(expression)]).toEqual([expression, literal]);
});

test("the numbers of a repetition need not be in the text", async () => {
  const rule = "=".repeat(120);
  expect(await matches("={100,120}", `${rule}\ntext`)).toEqual([rule]);
  expect(await matches("^.{120}$", `${rule}\ntext`)).toEqual([rule]);
  expect(await matches("map{key,12}", "map{key,12}")).toEqual(["map{key,12}"]);
});

test("a text that is not an expression is refused with the reason", async () => {
  for (const [expression, why] of [
    ["(", /not a regular expression \(.*missing closing \).*RE2, without look-around/],
    ["(?=a)", /without look-around and back-references/],
    ["(a)\\1", /not a regular expression/],
    ["a{2000}", /not a regular expression/],
    ["x".repeat(1_001), /at most 1000 characters/],
  ] as const)
    await refusal(compileExpression(expression, false), "invalid", why, expect.anything());
});
