// Goal: the documents name only files and sections that exist, and the picture in docs/architecture.md shows the import graph as it is.

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "../../release/step.ts";
import { texts } from "../../release/targets.ts";
import { folderGraph } from "./folder-graph.ts";
import { codeFiles, repositoryFiles, type Rule, type SourceFile } from "./source.ts";

const ARCHITECTURE = "docs/architecture.md";
const DRAWN = ["web", "src/cli", "src/service", "src/context", "src/kit"];

/** A path of the repository in backticks. Placeholders such as `{id}` and patterns are no paths. */
const NAMED = /`((?:bin|docs|embed|release|src|tests|web)\/[\w./-]+)`/g;
const LINK = /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g;

const missingPaths: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const linked = [...text.matchAll(LINK)].map(([, target]) =>
      posix.join(posix.dirname(path), target!.trim()),
    );
    const named = [...text.matchAll(NAMED)].map(([, target]) => target!);
    return [...linked, ...named]
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${path} names ${target}, which does not exist`);
  });

/** A word with an underscore: a field, a code, a key of a configuration or a tool. */
const FIELD_WORD = /\b[a-z]+(?:_[a-z]+)+\b/g;
const FIELD = /`([a-z]+(?:_[a-z]+)+)`/g;
/** Words of nginx. */
const OF_OTHERS = ["proxy_pass"];
const SECTION_LINK = /\]\((?!https?:)([^)#]*)#([^)]+)\)/g;

/** As GitHub names the anchors of headings. Lines of code, such as comments of a shell, are no headings. */
function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```.*?^ *```/gms, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const missingSections: Rule = (files) => {
  const anchors = new Map(files.map(({ path, text }) => [path, anchorsOf(text)]));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(SECTION_LINK)]
      .map(([, target, anchor]) => [target === "" ? path : posix.join(posix.dirname(path), target!), anchor!])
      .filter(([target, anchor]) => anchors.get(target!)?.includes(anchor!) === false)
      .map(([target, anchor]) => `${path} links to the section ${anchor} of ${target}, which does not exist`),
  );
};

/** Names of a side in the picture, row by row from the top. A side begins with its title: `┌─ src/kit: … ─┐`. */
function rowsOf(picture: string, root: string): string[][] {
  const rows: string[][] = [];
  let column: number | undefined;
  for (const line of picture.split("\n")) {
    if (line.startsWith("┌")) {
      const titles = [...line.matchAll(/┌─ ([\w/]+):/g)].map(([, title]) => title);
      column = titles.includes(root) ? titles.indexOf(root) : undefined;
    } else if (column !== undefined && line.startsWith("│")) {
      const cells = line.split("│").filter((_, index) => index % 2 === 1);
      rows.push(cells[column]!.match(/[\w.-]+/g) ?? []);
    }
  }
  return rows;
}

/** One sentence for each folder that is not drawn exactly once, and for each import that does not lead to a lower row. */
function misdrawn(picture: string, root: string, folders: readonly string[], files: readonly SourceFile[]) {
  const rows = rowsOf(picture, root);
  const names = rows.flat();
  const rowOf: ReadonlyMap<string, number> = new Map(
    rows.flatMap((row, index) => row.map((name) => [`${root}/${name}`, index] as const)),
  );
  const uncounted = folders.filter((folder) => names.filter((name) => name === folder).length !== 1);
  const upwards = [...folderGraph(files, root)].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, evidence]) => {
      const [above, below] = [rowOf.get(from), rowOf.get(to)];
      // Composition files share a row: they are files, not folders.
      const isOrder = above === undefined || below === undefined || above < below;
      const areFiles = /\.tsx?$/.test(from) && /\.tsx?$/.test(to);
      return isOrder || areFiles ? [] : [`${from} is not drawn above ${to}: ${evidence}`];
    }),
  );
  return [...uncounted.map((folder) => `${root}/${folder} is not drawn exactly once`), ...upwards];
}

const foldersOf = (root: string) =>
  readdirSync(join(ROOT, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "public")
    .map(({ name }) => name);

describe("the documents", async () => {
  const documents = (await repositoryFiles()).filter(({ path }) => path.endsWith(".md"));
  const own = documents.filter(({ path }) => !path.startsWith("embed/"));
  const textOf = (path: string) => own.find((file) => file.path === path)!.text;
  const picture = /```text\n(.+?)```/s.exec(textOf(ARCHITECTURE))![1]!;

  test("name only files and folders that exist", () => {
    expect(missingPaths(own)).toEqual([]);
  });

  test("a file that does not exist is found, in backticks and behind a link", () => {
    const wrong = "See `src/kit/nowhere.ts` and [this](nowhere.md#part), not `/src/x` or `src/{id}`.";
    expect(missingPaths([{ path: "docs/a.md", text: wrong }])).toEqual([
      "docs/a.md names docs/nowhere.md, which does not exist",
      "docs/a.md names src/kit/nowhere.ts, which does not exist",
    ]);
  });

  test("name only fields, codes and keys that the code has", async () => {
    const product = (await codeFiles()).filter(({ path }) => /^(?:src|web)\//.test(path));
    const words = new Set(product.flatMap(({ text }) => text.match(FIELD_WORD) ?? []));
    const manual = own.filter(({ path }) => /^docs\/|^README|^SECURITY/.test(path));
    const named = manual.flatMap(({ path, text }) =>
      [...text.matchAll(FIELD)].map(([, word]) => ({ path, word: word! })),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ word }) => !words.has(word) && !OF_OTHERS.includes(word))).toEqual([]);
  });

  test("of an archive link only to documents that are in it", () => {
    const isPacked = (path: string) => texts.includes(path) || path.startsWith("docs/");
    const wrong = own
      .filter(({ path }) => isPacked(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(LINK)]
          .map(([, target]) => posix.join(posix.dirname(path), target!))
          .filter((target) => !isPacked(target))
          .map((target) => `${path} links to ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test("link only to sections that exist", () => {
    expect(missingSections(own)).toEqual([]);
  });

  test("a link to a section that does not exist is found, on the page itself and on another", () => {
    const one = "# One `x`: two\n[there](#one-x-two) [here](#gone)\n```sh\n# code\n```\n[code](#code)";
    const other = "[fine](a.md#one-x-two) [wrong](a.md#one)";
    const files = [
      { path: "docs/a.md", text: one },
      { path: "docs/b.md", text: other },
    ];
    expect(missingSections(files)).toEqual([
      "docs/a.md links to the section gone of docs/a.md, which does not exist",
      "docs/a.md links to the section code of docs/a.md, which does not exist",
      "docs/b.md links to the section one of docs/a.md, which does not exist",
    ]);
  });

  test("README links to every page of docs", () => {
    const pages = own.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((path) => !textOf("README.md").includes(`](${path})`))).toEqual([]);
  });

  test("README and CONTRIBUTING lead to the architecture", () => {
    expect(textOf("README.md")).toContain(`](${ARCHITECTURE})`);
    expect(textOf("CONTRIBUTING.md")).toContain(`](${ARCHITECTURE})`);
  });

  test.each(DRAWN)("the picture shows %s: each folder once, above what it imports", async (root) => {
    expect(misdrawn(picture, root, foldersOf(root), await codeFiles())).toEqual([]);
  });

  test("each folder of both servers has a row in the tables", () => {
    const rows = (root: string) =>
      [...textOf(ARCHITECTURE).matchAll(new RegExp(`^\\| \`([a-z-]+)\` .*\`${root}/\\1/`, "gm"))].map(
        ([, folder]) => folder!,
      );
    for (const root of ["src/service", "src/context"])
      expect(rows(root).toSorted()).toEqual(
        foldersOf(root)
          .filter((name) => name !== "migrations")
          .toSorted(),
      );
  });

  test("a folder that is drawn twice, not at all, or below what imports it is found", () => {
    const drawn = [
      "┌─ web: a ──┐  ┌─ src/kit: b ──┐",
      "│ one   two │  │ five          │",
      "│ two  x.ts │  │ four          │",
      "└───────────┘  └───────────────┘",
    ].join("\n");
    const imports = (path: string, target: string) => ({ path, text: `import "${target}";` });
    expect(misdrawn(drawn, "web", ["one", "two", "three"], [imports("web/x.ts", "./one/a.ts")])).toEqual([
      "web/two is not drawn exactly once",
      "web/three is not drawn exactly once",
      "web/x.ts is not drawn above web/one: web/x.ts imports web/one/a.ts",
    ]);
    expect(
      misdrawn(drawn, "src/kit", ["four", "five"], [imports("src/kit/five/a.ts", "../four/b.ts")]),
    ).toEqual([]);
  });
});
