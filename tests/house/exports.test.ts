// Goal: another file imports what a file exports.

import { expect, test } from "bun:test";
import { codeFiles, importsOf, type Rule, type SourceFile } from "./source.ts";

const EXPORTED = /^export (?:async )?(?:function\*?|class|const|let|interface|type) (\w+)/gm;
/** A schema's name is its name in the OpenAPI document, which takes it from the exports of its file. */
const NAMES_ITSELF = /\/schema\.ts: [A-Z][a-z]/;
const EXPORTS_ALL = /^export \* from /m;

const exportsAreUsed: Rule = (files) => {
  const words = new Map(files.map((file) => [file.path, new Set(codeOf(file).match(/\w+/g))]));
  const usersOf = importers(files);
  const isUsed = (path: string, name: string) =>
    usersOf(path).some((user) => user.path !== path && words.get(user.path)!.has(name));
  return files
    .filter(({ path }) => /^(src|web|release|tests)\//.test(path))
    .flatMap((file) =>
      [...codeOf(file).matchAll(EXPORTED)].map(([, name = ""]) => [file.path, name] as const),
    )
    .filter(([path, name]) => !NAMES_ITSELF.test(`${path}: ${name}`) && !isUsed(path, name))
    .map(([path, name]) => `${path}: nobody imports ${name}`);
};

/** Returns the files that import a file, also through one that exports all of it. */
function importers(files: readonly SourceFile[]): (path: string) => readonly SourceFile[] {
  const known = new Map<string, SourceFile[]>();
  const handed = new Set<string>();
  for (const file of files)
    for (const { target, kind } of importsOf(file)) {
      known.set(target, [...(known.get(target) ?? []), file]);
      if (kind === "dynamic") handed.add(target);
    }
  const usersOf = (path: string): readonly SourceFile[] => {
    // A module that is loaded by its name, or when it is reached, can be handed to any file.
    if (handed.has(path) || !known.has(path)) return files;
    return known
      .get(path)!
      .flatMap((user) => (EXPORTS_ALL.test(user.text) ? [user, ...usersOf(user.path)] : [user]));
  };
  return usersOf;
}

/** Types too, so `runningCode` would leave out too much. */
function codeOf({ text }: SourceFile): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

test("every export is used by another file", async () => {
  expect(exportsAreUsed(await codeFiles())).toEqual([]);
});

test("the rule finds an export that only its own file, a comment and a file without the import name", () => {
  const limits = {
    path: "src/kit/limits.ts",
    text: "export const A_MAX = 1;\nexport const B_MAX = A_MAX;\nexport type Limit = 1;",
  };
  const all = { path: "src/kit/all.ts", text: 'export * from "./limits.ts";' };
  const user = { path: "src/kit/user.ts", text: '// A_MAX\nimport { B_MAX } from "./all.ts";' };
  const other = { path: "src/kit/other.ts", text: "type Limit = 2;" };
  expect(exportsAreUsed([limits, all, user, other])).toEqual([
    "src/kit/limits.ts: nobody imports A_MAX",
    "src/kit/limits.ts: nobody imports Limit",
  ]);
  const late = { path: "src/kit/late.ts", text: 'const limits = import("./limits.ts");' };
  expect(exportsAreUsed([limits, all, user, other, late])).toEqual([
    "src/kit/limits.ts: nobody imports A_MAX",
  ]);
});
