// Goal: the memory of a workspace is shown as a tree with what all agents share first, and a search for a document finds it by words of its path.

import { expect, test } from "bun:test";
import type { ContextFile } from "../../../src/service/memory/schema.ts";
import { matchesOf } from "../../../web/parts/memory/document-matches.ts";
import { memoryHref, pathInBranch } from "../../../web/parts/memory/paths.ts";
import { rowsOf } from "../../../web/parts/tree/tree-rows.ts";
import { directoriesOf, levelsOf } from "../../../web/screens/memory/branch.ts";

const BRANCH = "workspaces/lab-1";
const file = (path: string): ContextFile => ({
  path: `${BRANCH}/${path}`,
  version: 1,
  size: 1,
  hash: "",
  updated_at: "2026-11-22T00:00:00.000Z",
  author: "scout",
  state: "live",
});

test("shared documents come first, then the agents; directories before files", () => {
  const levels = levelsOf(
    BRANCH,
    ["agents/zoe/b.md", "agents/al/a.md", "index.md", "shared/z.md", "shared/plans/one.md"].map(file),
  );
  expect(rowsOf(levels, directoriesOf(levels)).map(({ entry, level }) => `${level} ${entry.path}`)).toEqual([
    "1 shared",
    "2 shared/plans",
    "3 shared/plans/one.md",
    "2 shared/z.md",
    "1 agents",
    "2 agents/al",
    "3 agents/al/a.md",
    "2 agents/zoe",
    "3 agents/zoe/b.md",
    "1 index.md",
  ]);
  expect(rowsOf(levelsOf(BRANCH, []), new Set())).toEqual([]);
});

test("a search needs every word, prefers names that begin with it, and says how many more there are", () => {
  const paths = ["team/plan.md", "team/old/planning.md", "planet/notes.md", "a/Plan B.md"];
  expect(matchesOf(paths, "plan").shown).toEqual([
    "a/Plan B.md",
    "team/plan.md",
    "team/old/planning.md",
    "planet/notes.md",
  ]);
  expect(matchesOf(paths, "old PLAN").shown).toEqual(["team/old/planning.md"]);
  expect(matchesOf(paths, "nothing")).toEqual({ shown: [], more: 0 });
  const many = Array.from({ length: 30 }, (_, index) => `n/${index}.md`);
  expect(matchesOf(many, "")).toMatchObject({ more: 10 });
});

test("a link to a document names its path within the branch", () => {
  expect(pathInBranch(BRANCH, `${BRANCH}/shared/a b.md`)).toBe("shared/a b.md");
  expect(pathInBranch(BRANCH, "workspaces/lab-10/shared/a.md")).toBe("workspaces/lab-10/shared/a.md");
  expect(memoryHref(1, BRANCH, `${BRANCH}/shared/a b&c.md`, 3)).toBe(
    "/workspaces/1/memory?document=shared%2Fa+b%26c.md&version=3",
  );
});
