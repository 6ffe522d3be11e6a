// Goal: what the repository says about itself is true: dependencies, pins, paths, and the command that CI runs.

import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, readManifest } from "../../release/step.ts";
import { repositoryFiles, type SourceFile } from "./source.ts";

const EXACT_VERSION = /^\d+\.\d+\.\d+$/;

/** A package in the table of CONTRIBUTING.md: the first cell of a row, in backticks. */
const TABLE_ROW = /^\|\s*`([^`]+)`\s*\|(.+)\|\s*$/gm;
const TABLE_CELLS = 4;

/** Places that exist on one machine only, and hosts that packages come from: both would break a clone elsewhere. */
const MACHINE = [
  /(?<![\w.])\/(?:opt|work|root|home|Users|mnt|srv\/ci)\/(?!cairn\b)[a-z]/,
  /[A-Z]:[\\/]Users[\\/]/,
  /\bregistry\.(?:npmjs|yarnpkg)\.(?:org|com)\b/,
  /\bnpm\.pkg\.github\.com\b|\bpypi\.org\b|\bdeb\.debian\.org\b/,
  /\/\/(?:localhost|127\.0\.0\.1):(?:4873|8081)\b/,
];

/** All that the repository has at its top. */
const TOP = new Set(
  `.ci .github bin docs embed release src tests web
  .gitattributes .gitignore .oxlintrc.json bun.lock bunfig.toml package.json tsconfig.json
  CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md SECURITY.md`.split(/\s+/),
);

/** Binary files may only be pictures. */
const PICTURE = /^(?:docs|web\/public)\/[\w-]+\.png$/;

/** Empty outside a checkout. */
const tracked = existsSync(join(ROOT, ".git"))
  ? Bun.spawnSync(["git", "ls-files", "-z"], { cwd: ROOT }).stdout.toString().split("\0").filter(Boolean)
  : [];

function text(path: string): Promise<string> {
  return Bun.file(join(ROOT, path)).text();
}

function machinePlaces(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    MACHINE.flatMap((pattern) => {
      const found = pattern.exec(file.text);
      return found === null ? [] : [`${file.path}: ${found[0]}`];
    }),
  );
}

describe("repository", () => {
  test("every dependency is pinned exactly", async () => {
    const { dependencies, devDependencies } = await readManifest();
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !EXACT_VERSION.test(version),
    );
    expect(loose).toEqual([]);
  });

  test("the dependency table of CONTRIBUTING.md is the list in package.json, and every cell is filled", async () => {
    const { dependencies, devDependencies } = await readManifest();
    const chapter = (await text("CONTRIBUTING.md")).split(/^## Dependencies$/m)[1] ?? "";
    const rows = [...chapter.matchAll(TABLE_ROW)];
    const named = rows.map((row) => row[1] ?? "");
    expect(named.toSorted()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).toSorted());
    const cells = rows.map(
      (row) => (row[2] ?? "").split("|").filter((cell) => cell.trim() !== "").length + 1,
    );
    expect(cells).toEqual(rows.map(() => TABLE_CELLS));
  });

  test("scripts call the pinned Bun and one TypeScript file each", async () => {
    const { scripts, packageManager } = (await Bun.file(join(ROOT, "package.json")).json()) as {
      scripts: Record<string, string>;
      packageManager: string;
    };
    const others = Object.values(scripts).filter(
      (line) => !line.startsWith(`npx --yes ${packageManager} release/`),
    );
    expect(others).toEqual([]);
  });

  test("no file names a place of one machine or a package host", async () => {
    expect(machinePlaces(await repositoryFiles())).toEqual([]);
  });

  test.if(tracked.length > 0)("holds nothing but its folders, its documents and pictures", async () => {
    expect(tracked.filter((path) => !TOP.has(path.split("/")[0] ?? ""))).toEqual([]);
    const others = tracked.filter((path) => !PICTURE.test(path));
    const contents = await Promise.all(others.map((path) => Bun.file(join(ROOT, path)).bytes()));
    expect(others.filter((_, index) => contents[index]!.includes(0))).toEqual([]);
  });

  test("the search for such places finds them", () => {
    // Put together here, since this file is searched as well.
    const samples = [
      ["", "opt", "tool"].join("/"),
      ["", "home", "someone", "x"].join("/"),
      ["C:", "Users", "x"].join("\\"),
      ["registry", "npmjs", "org"].join("."),
    ];
    expect(samples.map((sample) => machinePlaces([{ path: "a", text: `see ${sample}` }]).length)).toEqual([
      1, 1, 1, 1,
    ]);
    const fine = ["/var/lib/cairn", "/home/cairn/data", "https://example.org/home/page", "src/work/item.ts"];
    expect(machinePlaces(fine.map((sample) => ({ path: "a", text: `see ${sample}` })))).toEqual([]);
  });

  test(".ci/run runs the test command that the README gives", async () => {
    const lines = (await text(".ci/run")).split("\n").map((line) => line.trim());
    expect(lines.some((line) => /^step '[^']+' npm test$/.test(line))).toBe(true);
    expect(await text("README.md")).toMatch(/^npm test$/m);
  });

  test("every action of the workflows is pinned to a commit, with its version beside it", async () => {
    const workflows = (await repositoryFiles()).filter(({ path }) => path.startsWith(".github/workflows/"));
    expect(workflows.map(({ path }) => path)).toEqual([
      ".github/workflows/ci.yml",
      ".github/workflows/release.yml",
    ]);
    const uses = workflows.flatMap((file) =>
      [...file.text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map((match) => match[1] ?? ""),
    );
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((use) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([]);
  });
});
