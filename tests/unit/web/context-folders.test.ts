// Goal: a flat list of documents becomes folders in order, with deleted documents only where wanted; names are found by every word.

import { expect, test } from "bun:test";
import type { ContextFile } from "../../../src/service/memory/schema.ts";
import { foldersOf, foundByName } from "../../../web/screens/context/folders.ts";

function file(path: string, state = "live"): ContextFile {
  return { path, version: 1, size: 1, hash: "", updated_at: "2026-11-22T10:00:00Z", author: "ann", state };
}

const files = [
  file("z.md"),
  file("Notes 10.md"),
  file("notes 9.md"),
  file("team/deep/plan.md"),
  file("team/old.md", "deleted"),
  file("gone/only.md", "deleted"),
  file("odd", "refused"),
];
const rows = (withDeleted: boolean) =>
  [...foldersOf(files, withDeleted)]
    .map(([folder, entries]) => [
      folder,
      entries.map(({ path, kind, documents }) => `${path} ${kind} ${documents}`),
    ])
    .toSorted();

test("sorts folders first and names by their numbers, counts documents, and leaves deleted ones out", () => {
  expect(rows(false)).toEqual([
    ["", ["team directory 1", "notes 9.md file 0", "Notes 10.md file 0", "odd other 0", "z.md file 0"]],
    ["team", ["team/deep directory 1"]],
    ["team/deep", ["team/deep/plan.md file 0"]],
  ]);
});

test("adds deleted documents and their folders where wanted; an empty space has an empty root", () => {
  const all = new Map(rows(true) as [string, string[]][]);
  expect(all.get("")![0]).toBe("gone directory 0");
  expect(all.get("team")).toEqual(["team/deep directory 1", "team/old.md file 0"]);
  expect([...foldersOf([], true)]).toEqual([["", []]]);
});

test("sorts five thousand documents of one folder", () => {
  const many = Array.from({ length: 5_000 }, (_, index) => file(`workspaces/a-1/shared/note-${index}.md`));
  const entries = foldersOf(many, false).get("workspaces/a-1/shared")!;
  expect([entries.length, entries[2]!.name, entries.at(-1)!.name]).toEqual([
    5_000,
    "note-2.md",
    "note-4999.md",
  ]);
});

test("finds names by every word, the shortest path first, without deleted ones", () => {
  const paths = (query: string) => foundByName(files, query, 3).map(({ path }) => path);
  expect(paths("notes")).toEqual(["notes 9.md", "Notes 10.md"]);
  expect(paths("team PLAN")).toEqual(["team/deep/plan.md"]);
  expect(paths("old")).toEqual([]);
  expect(paths("  ")).toEqual([]);
});
