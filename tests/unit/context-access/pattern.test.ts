// Goal: a pattern of an access rule matches what its documentation says and nothing else: against a model that compares every way to divide a name.

import { describe, expect, test } from "bun:test";
import { compilePattern } from "../../../src/context/access/pattern.ts";
import { chooser } from "../../prove/proof.ts";

/** The same rules, written as slowly and plainly as possible. */
function matchesSlowly(pattern: readonly string[], target: readonly string[]): boolean {
  const [segment, ...rest] = pattern;
  if (segment === undefined) return target.length === 0;
  const [name, ...names] = target;
  if (segment === "**") {
    if (rest.length === 0) return target.length > 0;
    return target.some((_, at) => matchesSlowly(rest, target.slice(at)));
  }
  return name !== undefined && fitsSlowly(segment, name) && matchesSlowly(rest, names);
}

function fitsSlowly(segment: string, name: string): boolean {
  const [sign, ...rest] = segment;
  if (sign === undefined) return name === "";
  const after = rest.join("");
  if (sign !== "*") return name[0] === sign && fitsSlowly(after, name.slice(1));
  return Array.from({ length: name.length + 1 }, (_, at) => name.slice(at)).some((tail) =>
    fitsSlowly(after, tail),
  );
}

describe("patterns of access rules", () => {
  test.each([
    ["team/ab*ba", "team/aba", false],
    ["team/ab*ba", "team/abba", true],
    ["team/*.md", "team/.md", true],
    ["team/*.md", "team/aXmd", false],
    ["team/a", "Team/a", false],
    ["*/a", "Team/a", true],
    ["team/*", "team/a/b", false],
    ["team/a*", "team/a", true],
    ["team/a*", "team/b", false],
    ["team/*a", "team/ab", false],
    ["team/a*b*c", "team/abc", true],
    ["team/a*bc*c", "team/abc", false],
    ["team/a*bc*c", "team/abcc", true],
    ["team/a*b*b*c", "team/abc", false],
    ["team/a*b*b*c", "team/axbybzc", true],
    ["team/**", "team", false],
    ["team/**", "team/a/b/c", true],
    ["team/**/c", "team/c", true],
    ["team/**/c", "team/a/b/c/d", false],
    ["**/c", "team/a/c", true],
    ["te*/a", "team/a", true],
  ])("%s and %s: %p", (pattern, target, expected) => {
    expect(compilePattern(pattern).matches(target.split("/"))).toBe(expected);
  });

  test("matches what the plain model matches, on 20,000 random pairs", () => {
    const choose = chooser(7);
    const pick = (from: readonly string[], most: number) =>
      Array.from({ length: 1 + choose(most) }, () => from[choose(from.length)]!);
    const wrong: string[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const pattern = [
        "s",
        ...Array.from({ length: 1 + choose(4) }, () =>
          choose(3) === 0 ? "**" : pick(["a", "b", "*"], 5).join("").replace(/\*+/g, "*"),
        ),
      ];
      const target = ["s", ...Array.from({ length: choose(5) }, () => pick(["a", "b"], 5).join(""))];
      const compiled = compilePattern(pattern.join("/"));
      if (compiled.matches(target) !== matchesSlowly(pattern, target))
        wrong.push(`${pattern.join("/")} ${target.join("/")}`);
    }
    expect(wrong).toEqual([]);
  });

  test("gives an example below a directory that the pattern matches, or none where the model finds none", () => {
    const choose = chooser(11);
    const names = ["a", "b", "ab"];
    const wrong: string[] = [];
    let found = 0;
    for (let round = 0; round < 5_000; round += 1) {
      const pattern = [
        ["s", "**"][choose(2)]!,
        ...Array.from({ length: 1 + choose(4) }, () => ["**", "*", "a", "b", "a*", "*b", "a*b"][choose(7)]!),
      ];
      const directory = ["s", ...Array.from({ length: choose(3) }, () => names[choose(3)]!)];
      const depth = 1 + choose(3);
      const compiled = compilePattern(pattern.join("/"));
      const example = compiled.exampleBelow(directory.join("/"), depth);
      const below = targetsBelow(directory, depth, ["a", "b", "ab", "?", "a?", "?b"]);
      const exists = below.some((target) => matchesSlowly(pattern, target));
      if (example !== undefined) found += 1;
      const holds =
        example === undefined
          ? !exists
          : compiled.matches(example.split("/")) &&
            example.startsWith(`${directory.join("/")}/`) &&
            example.split("/").length === directory.length + depth;
      if (!holds) wrong.push(`${pattern.join("/")} below ${directory.join("/")} at ${depth}: ${example}`);
    }
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThan(500);
  });

  test("a segment that may have any name gets one that only a pattern for every name matches", () => {
    expect(compilePattern("team/**").exampleBelow("team/docs", 2)).toBe("team/docs/?/?");
    expect(compilePattern("team/*/a*").exampleBelow("team/docs", 1)).toBe("team/docs/a?");
    expect(compilePattern("team/docs/**").exampleBelow("team/docs", 1)).toBe("team/docs/?");
  });

  test("answers at once for many ** and a deep directory", () => {
    const pattern = compilePattern(`s/${"**/a/".repeat(20)}b`);
    expect(pattern.exampleBelow(`s/${Array(60).fill("a").join("/")}`, 8)).toEndWith("/b");
    expect(pattern.exampleBelow(`s/${Array(60).fill("c").join("/")}`, 8)).toBeUndefined();
    const many = compilePattern(`s/${"**/a/".repeat(100)}b`);
    const deep = `s/${Array(200).fill("a").join("/")}`;
    expect(many.exampleBelow(deep, 3)).toBeDefined();
    expect(many.exampleBelow(`${deep}/c/c/c/c`, 0)).toBeUndefined();
    const hard = compilePattern(`team/${"a*".repeat(20)}b/${"**/".repeat(20)}c`);
    expect(hard.matches(`team/${"a".repeat(200)}/${"d/".repeat(200)}d`.split("/"))).toBe(false);
  });

  test("rejects patterns that would surprise", () => {
    const refused =
      "team|/team/a|team/|team//a|team/./a|team/../a|team/a**|team/**a|team/[ab]|team/a?|team/{a,b}|team\\a/b|";
    for (const pattern of refused.split("|"))
      expect(() => compilePattern(pattern), pattern).toThrow(`path: pattern "${pattern}": `);
  });

  test.each([
    ["team/docs/**", "team", true],
    ["team/docs/**", "other", false],
    ["**/docs", "other", true],
    ["te*/docs", "team", true],
    ["te*/docs", "other", false],
  ])("%s reaches the space %s: %p", (pattern, space, expected) => {
    expect(compilePattern(pattern).reaches(space)).toBe(expected);
  });
});

function targetsBelow(directory: readonly string[], depth: number, names: readonly string[]): string[][] {
  if (depth === 0) return [[...directory]];
  return names.flatMap((name) => targetsBelow([...directory, name], depth - 1, names));
}
