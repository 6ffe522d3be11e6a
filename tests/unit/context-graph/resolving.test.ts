// Goal: a link means the file that a reader would open, whatever the number of files with its name, and a hidden file is like none.

import { describe, expect, test } from "bun:test";
import { BROKEN, NO_FILE, Resolver } from "../../../src/context/graph/resolving.ts";
import type { Link } from "../../../src/context/versioned-store/links.ts";

const FILES = [
  "a/b/c/note.md",
  "a/b/plan.md",
  "a/index.md",
  "a/plan.md",
  "a/z/plan.md",
  "Guides/Übersicht.md",
  "logo.png",
  "notes.txt",
  "plan.md",
  "projects/x/plan.md",
  "projects/y/plan.md",
  "readme.md",
  "z/deep/er/only.mdx",
].sort();

/** Shown as the path that is found, `broken` or `no file`. */
async function found(from: string, kind: Link["kind"], target: string, files = FILES): Promise<string> {
  const resolver = await Resolver.of(files.map((path) => ({ path })));
  const to = resolver.resolve(files.indexOf(from), { kind, target });
  return to === BROKEN ? "broken" : to === NO_FILE ? "no file" : files[to]!;
}

const cases: [from: string, kind: Link["kind"], target: string, to: string][] = [
  // A name: with and without extension, in any spelling.
  ["plan.md", "wiki", "only", "z/deep/er/only.mdx"],
  ["plan.md", "wiki", "only.mdx", "z/deep/er/only.mdx"],
  ["plan.md", "wiki", "ONLY", "z/deep/er/only.mdx"],
  ["plan.md", "wiki", "u\u0308bersicht", "Guides/Übersicht.md"],
  ["plan.md", "wiki", "logo.png", "logo.png"],
  ["plan.md", "wiki", "logo", "broken"],
  ["plan.md", "wiki", "none", "broken"],
  // An ambiguous name: the nearest folder, ties by path.
  ["a/b/c/note.md", "wiki", "plan", "a/b/plan.md"],
  ["a/index.md", "wiki", "plan", "a/plan.md"],
  ["notes.txt", "wiki", "plan", "plan.md"],
  ["z/deep/er/only.mdx", "wiki", "plan", "plan.md"],
  ["Guides/Übersicht.md", "wiki", "plan", "plan.md"],
  // A name with folders: relative, from the top, or the end of a path.
  ["a/index.md", "wiki", "b/plan", "a/b/plan.md"],
  ["a/index.md", "wiki", "projects/x/plan", "projects/x/plan.md"],
  ["a/index.md", "wiki", "y/plan.md", "projects/y/plan.md"],
  ["a/index.md", "wiki", "deep/er/only", "z/deep/er/only.mdx"],
  ["a/index.md", "wiki", "er/deep/only", "broken"],
  ["a/index.md", "wiki", "../plan", "plan.md"],
  ["a/index.md", "wiki", "/plan", "plan.md"],
  ["a/index.md", "wiki", "../../plan", "broken"],
  // Markdown: relative to the folder, or to the space.
  ["a/index.md", "markdown", "plan.md", "a/plan.md"],
  ["a/index.md", "markdown", "plan", "a/plan.md"],
  ["a/index.md", "markdown", "./b/../b//plan.md", "a/b/plan.md"],
  ["a/index.md", "markdown", "/plan.md", "plan.md"],
  ["a/index.md", "markdown", "projects/x/plan.md", "broken"],
  ["a/index.md", "markdown", "../logo.png", "logo.png"],
  ["a/index.md", "markdown", "../../x.md", "broken"],
  ["a/index.md", "markdown", "PLAN.MD", "a/plan.md"],
  // A folder: its page, if it has one.
  ["plan.md", "markdown", "a/", "a/index.md"],
  ["plan.md", "markdown", ".", "readme.md"],
  ["plan.md", "markdown", "a/b", "no file"],
  ["plan.md", "markdown", "none/", "broken"],
  ["plan.md", "markdown", "plan.md/", "broken"],
  // Bare paths: both ways. Only a missing document is broken.
  ["a/index.md", "path", "b/plan.md", "a/b/plan.md"],
  ["a/index.md", "path", "projects/x/plan.md", "projects/x/plan.md"],
  ["a/index.md", "path", "./plan.md", "a/plan.md"],
  ["a/index.md", "path", "./projects/x/plan.md", "broken"],
  ["a/index.md", "path", "src/main.ts", "no file"],
  ["a/index.md", "path", "src/none.md", "broken"],
];

describe("resolves a link", () => {
  test.each(cases)("from %s, %s %s: %s", async (from, kind, target, to) => {
    expect(await found(from, kind, target)).toBe(to);
  });
});

test("of two folders at the same distance, prefers the smaller path", async () => {
  const files = ["b/x.md", "c/d/x.md", "c/e/x.md", "m/from.md"];
  expect(await found("m/from.md", "wiki", "x", files)).toBe("b/x.md");
  expect(await found("m/from.md", "wiki", "x", files.slice(1))).toBe("c/d/x.md");
});

test("finds the same nearest file as a comparison of every candidate", async () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const folder = () => Array.from({ length: random(5) }, () => "abc"[random(3)]);
  const some = (name: string, count: number) =>
    Array.from({ length: count }, () => [...folder(), name].join("/"));
  const files = [...new Set([...some("x.md", 40), ...some("from.md", 120)])].sort();
  const resolver = await Resolver.of(files.map((path) => ({ path })));
  const steps = (from: string, to: string) => {
    const [one, other] = [from, to].map((path) => path.split("/").slice(0, -1)) as [string[], string[]];
    let common = 0;
    while (common < one.length && one[common] === other[common]) common += 1;
    return one.length + other.length - 2 * common;
  };
  const nearest = (from: string, end: string) =>
    files
      .filter((path) => `/${path}`.endsWith(end))
      .toSorted((a, b) => steps(from, a) - steps(from, b) || (a < b ? -1 : 1))[0];
  for (const [index, from] of files.entries()) {
    if (!from.endsWith("from.md")) continue;
    const to = (target: string) => files[resolver.resolve(index, { kind: "wiki", target })];
    expect(to("x")).toBe(nearest(from, "/x.md")!);
    const relative = [...from.split("/").slice(0, -1), "a/x.md"].join("/");
    const exact = [relative, "a/x.md"].find((path) => files.includes(path));
    expect(to("a/x")).toBe(exact ?? nearest(from, "/a/x.md")!);
  }
});

test("many files of one name and deep folders take no longer", async () => {
  const deep = (index: number) => `${"d/".repeat(index % 100)}${index}/note.md`;
  const files = Array.from({ length: 10_000 }, (_, index) => ({ path: deep(index) })).sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
  const began = process.cpuUsage().user;
  const resolver = await Resolver.of(files);
  for (let index = 0; index < files.length; index += 1)
    for (const target of ["note", "d/note", "d/d/d/note"]) resolver.resolve(index, { kind: "wiki", target });
  // Ten times what it takes; comparing every candidate would take many minutes.
  expect(process.cpuUsage().user - began).toBeLessThan(10_000_000);
});
