// Goal: the message box knows which reference or starter is being typed at the caret, writes references that it reads back, and suggests the
// nearest names first, also among thousands.

import { describe, expect, test } from "bun:test";
import type { FileEntry } from "../../../src/service/files/schema.ts";
import { referenceInto, referenceTo, type Trigger, triggerAt } from "../../../web/screens/chat/reference.ts";
import {
  suggestReferences,
  SUGGESTIONS_SHOWN_MAX,
  suggestStarters,
} from "../../../web/screens/chat/suggestions.ts";

const reference = (query: string, from: number, to: number): Trigger => ({
  kind: "reference",
  query,
  from,
  to,
});

describe("finds the reference at the caret", () => {
  /** The caret is at `|`. */
  for (const [typed, expected] of [
    ["|", undefined],
    ["Hello|", undefined],
    ["@|", reference("", 0, 1)],
    ["Ask @sc|out now", reference("sc", 4, 7)],
    ["Ask @scout |now", undefined],
    ["(@docs/a.md|", reference("docs/a.md", 1, 11)],
    ["one\n@sc|", reference("sc", 4, 7)],
    ["mail@example.org|", undefined],
    ['See @"my no|tes', reference("my no", 4, 11)],
    ['See @"my notes.md"| and', undefined],
    ['@"a \\"b\\" c|', reference('a "b" c', 0, 11)],
    ['@"over\na line|', undefined],
    ["@日本|", reference("日本", 0, 3)],
    ["/|", { kind: "starter", query: "", from: 0, to: 1 }],
    ["/code re|", { kind: "starter", query: "code re", from: 0, to: 8 }],
    ["see /code|", undefined],
    ["/code\n|", undefined],
    [`@${"x".repeat(500)}|`, undefined],
  ] as const) {
    test(JSON.stringify(typed.slice(0, 30)), () => {
      const caret = typed.indexOf("|");
      const text = typed.replace("|", "");
      expect(triggerAt(text, caret)).toEqual(expected as Trigger);
    });
  }

  test("reads back every name that it writes", () => {
    for (const name of [
      "scout",
      "docs/a.md",
      "my notes.md",
      'a "b" c',
      "back\\slash",
      "end.",
      "日本 語",
      "@at",
    ]) {
      const written = referenceTo(name);
      const open = written.endsWith('"') ? written.slice(0, -1) : written;
      expect(triggerAt(open, open.length)).toEqual(reference(name, 0, open.length));
    }
    expect([referenceTo("scout"), referenceTo("my notes.md"), referenceTo('a"b')]).toEqual([
      "@scout",
      '@"my notes.md"',
      '@"a\\"b"',
    ]);
    for (const directory of ["docs", "my docs"]) {
      const open = referenceInto(directory);
      expect(triggerAt(open, open.length)).toEqual(reference(`${directory}/`, 0, open.length));
    }
  });
});

const file = (path: string, kind: FileEntry["kind"] = "file"): FileEntry => ({
  name: path.slice(path.lastIndexOf("/") + 1),
  path,
  kind,
  size: null,
  modified_at: "",
});

describe("suggestions", () => {
  const files = [
    file("docs", "directory"),
    file("docs/plan.md"),
    file("plan.md"),
    file("old/my plan.md"),
    file("pipe", "other"),
  ];
  const names = (query: string) => suggestReferences(query, ["planner"], files).shown.map(({ name }) => name);

  test("put the nearest names first, and leave out what nobody can read", () => {
    expect(names("")).toEqual(["planner", "docs", "plan.md", "docs/plan.md", "old/my plan.md"]);
    expect(names("PLAN")).toEqual(["planner", "plan.md", "docs/plan.md", "old/my plan.md"]);
    expect(names("docs/")).toEqual(["docs/plan.md"]);
    expect(names("my p")).toEqual(["old/my plan.md"]);
    expect(names("none")).toEqual([]);
  });

  test("count the names that they do not list, among thousands", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => file(`src/part-${index}.ts`));
    const { shown, total } = suggestReferences("part", [], many);
    expect([shown.length, total]).toEqual([SUGGESTIONS_SHOWN_MAX, 20_000]);
  });

  test("find instructions by their names", () => {
    const instructions = [
      { id: 1, name: "Review code" },
      { id: 2, name: "Code style" },
    ];
    expect(suggestStarters("code", instructions).shown).toEqual([
      { kind: "starter", name: "Code style", id: 2 },
      { kind: "starter", name: "Review code", id: 1 },
    ]);
  });
});
