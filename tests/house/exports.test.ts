// Goal: another file uses what a file exports.

import { expect, test } from "bun:test";
import { codeFiles, type Rule, type SourceFile } from "./source.ts";

const EXPORTED = /^export (?:async )?(?:function\*?|class|const|let|interface|type) (\w+)/gm;
/** A schema's name is its name in the OpenAPI document, which takes it from the exports of its file. */
const NAMES_ITSELF = /\/schema\.ts: [A-Z][a-z]/;

const exportsAreUsed: Rule = (files) => {
  const words = new Map(files.map((file) => [file.path, new Set(codeOf(file).match(/\w+/g))]));
  const isUsed = (path: string, name: string) =>
    files.some((other) => other.path !== path && words.get(other.path)!.has(name));
  return files
    .filter(({ path }) => /^(src|web|release|tests)\//.test(path))
    .flatMap((file) =>
      [...codeOf(file).matchAll(EXPORTED)].map(([, name = ""]) => [file.path, name] as const),
    )
    .filter(([path, name]) => !NAMES_ITSELF.test(`${path}: ${name}`) && !isUsed(path, name))
    .map(([path, name]) => `${path}: nobody imports ${name}`);
};

/** Types too, so `runningCode` would leave out too much. */
function codeOf({ text }: SourceFile): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

test("every export is used by another file", async () => {
  expect(exportsAreUsed(await codeFiles())).toEqual([]);
});

test("the rule finds an export that only its own file and a comment name", () => {
  const limits = { path: "src/kit/limits.ts", text: "export const A_MAX = 1;\nexport const B_MAX = A_MAX;" };
  const user = { path: "src/kit/user.ts", text: '// A_MAX\nimport { B_MAX } from "./limits.ts";' };
  expect(exportsAreUsed([limits, user])).toEqual(["src/kit/limits.ts: nobody imports A_MAX"]);
});
