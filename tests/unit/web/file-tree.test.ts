// Goal: the rows of the file tree, its keyboard movement, and the directory that a save affects.

import { expect, test } from "bun:test";
import type { FileEntry } from "../../../src/service/files/schema.ts";
import {
  directoryToRead,
  jump,
  type Levels,
  move,
  parentsOf,
  rowsOf,
} from "../../../web/parts/tree/tree-rows.ts";

function entry(path: string, kind: FileEntry["kind"] = "file"): FileEntry {
  return { name: path.slice(path.lastIndexOf("/") + 1), path, kind, size: null, modified_at: "" };
}

const levels: Levels = new Map([
  ["", [entry("docs", "directory"), entry("empty", "directory"), entry("a.txt")]],
  ["docs", [entry("docs/deep", "directory"), entry("docs/plan.md")]],
]);
const rows = rowsOf(levels, new Set(["docs", "docs/deep"]));

test("lists the rows of open directories in order, with level and position; none for a directory that is not loaded", () => {
  expect(rows.map(({ entry: { path }, level, position, of }) => [path, level, position, of])).toEqual([
    ["docs", 1, 1, 3],
    ["docs/deep", 2, 1, 2],
    ["docs/plan.md", 2, 2, 2],
    ["empty", 1, 2, 3],
    ["a.txt", 1, 3, 3],
  ]);
});

test("moves by keys", () => {
  const open = new Set(["docs"]);
  const to = (key: string, from: number) => move(key, rows, from, open);
  expect(to("ArrowDown", 4)).toEqual({ to: 4 });
  expect(to("ArrowUp", 0)).toEqual({ to: 0 });
  expect(to("End", 0)).toEqual({ to: 4 });
  expect(to("Home", 3)).toEqual({ to: 0 });
  expect(to("ArrowRight", 0)).toEqual({ to: 1 });
  expect(to("ArrowRight", 1)).toBe("toggle");
  expect(to("ArrowRight", 2)).toEqual({ to: 2 });
  expect(to("ArrowLeft", 2)).toEqual({ to: 0 });
  expect(to("ArrowLeft", 0)).toBe("toggle");
  expect(to("ArrowLeft", 4)).toEqual({ to: 4 });
  expect(to("p", 0)).toEqual({ to: 2 });
  expect(to("Tab", 0)).toBeUndefined();
  expect(to("ArrowDown", 9)).toBeUndefined();
});

test("jumps to the next name that starts with a letter, wrapping around", () => {
  expect([jump(rows, 0, "D"), jump(rows, 1, "d"), jump(rows, 2, "a"), jump(rows, 2, "x")]).toEqual([
    1, 0, 4, 2,
  ]);
});

test("finds the nearest loaded directory of a saved file", () => {
  expect(parentsOf("a/b/c.txt")).toEqual(["a", "a/b"]);
  expect(
    ["docs/plan.md", "docs/deep/er/x.md", "new/y.md", "top.md"].map((path) => directoryToRead(path, levels)),
  ).toEqual(["docs", "docs", "", ""]);
});
