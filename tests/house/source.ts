// The repository as data for the house tests: its files, its imports, and its code without comments and types.
// A rule is a function from files to sentences about what breaks it, so that a test can also give it a tree that must be refused.

import { Glob } from "bun";
import { readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "../../release/step.ts";

export interface SourceFile {
  /** Below the repository, with `/`. */
  path: string;
  text: string;
}

export type Rule = (files: readonly SourceFile[]) => string[];

/** Fetched, built, or not ours to word; none of it is tracked but bun.lock and LICENSE. */
const NOT_SOURCE = ["node_modules", "dist", ".git", "bun.lock", "LICENSE"];

const CODE = /\.tsx?$/;

/** All text files of the repository, as a commit would hold them. */
export async function repositoryFiles(): Promise<SourceFile[]> {
  const paths = readdirSync(ROOT)
    .filter((name) => !NOT_SOURCE.includes(name))
    .flatMap((name) => (statSync(join(ROOT, name)).isDirectory() ? filesBelow(name) : [name]))
    .filter((path) => !path.startsWith("embed/ui/"))
    .sort();
  const files = await Promise.all(
    paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })),
  );
  return files.filter((file) => !file.text.includes("\0"));
}

function filesBelow(folder: string): string[] {
  const found = new Glob("**/*").scanSync({ cwd: join(ROOT, folder), dot: true });
  return [...found].map((path) => `${folder}/${path.replaceAll("\\", "/")}`);
}

export async function codeFiles(): Promise<SourceFile[]> {
  return (await repositoryFiles()).filter((file) => CODE.test(file.path));
}

export interface Import {
  /** A path below the repository for a relative import, else the name as written: `node:fs`, `elysia`. */
  target: string;
  /** `type` leaves nothing behind when the code runs; `dynamic` runs when it is reached. */
  kind: "static" | "type" | "dynamic";
}

const FROM = /^\s*(?:import|export)\s+(type\s)?[^;"'`()]*?\sfrom\s+["']([^"']+)["']/gm;
const FOR_EFFECT = /^\s*import\s+["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']/g;

export function importsOf(file: SourceFile): Import[] {
  const written: { name: string | undefined; kind: Import["kind"] }[] = [
    ...[...file.text.matchAll(FROM)].map(([, type, name]) => ({
      name,
      kind: type ? ("type" as const) : ("static" as const),
    })),
    ...[...file.text.matchAll(FOR_EFFECT)].map(([, name]) => ({ name, kind: "static" as const })),
    ...[...file.text.matchAll(DYNAMIC)].map(([, name]) => ({ name, kind: "dynamic" as const })),
  ];
  const folder = posix.dirname(file.path);
  return written.map(({ name = "", kind }) => ({
    target: name.startsWith(".") ? posix.normalize(`${folder}/${name}`) : name,
    kind,
  }));
}

const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };

/** The code that runs, as JavaScript: no comments, no types. Strings stay. */
export function runningCode(file: SourceFile): string {
  return transpilers[file.path.endsWith("x") ? "tsx" : "ts"].transformSync(file.text);
}
