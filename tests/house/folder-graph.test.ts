// Goal: folders are ordered from the ground up and files form no circles, and the graph that says so sees every circle.

import { describe, expect, test } from "bun:test";
import { acyclicFiles, acyclicFolders, circlesOf, folderGraph } from "./folder-graph.ts";
import { codeFiles, type SourceFile } from "./source.ts";

/** Sides whose folders are in order. */
const ORDERED = ["src/kit", "src/service", "src/context", "src/cli", "web", "tests/kit"];

const file = (path: string, ...targets: string[]): SourceFile => ({
  path,
  text: targets.map((target) => `import "${target}";`).join("\n"),
});

describe.each(ORDERED)("%s", (root) => {
  test("folders import each other in one direction only", async () => {
    expect(acyclicFolders(root)(await codeFiles())).toEqual([]);
  });

  test("no files import each other in a circle", async () => {
    expect(acyclicFiles(root)(await codeFiles())).toEqual([]);
  });
});

describe("the graph", () => {
  test("orders folders that import downwards", () => {
    const files = [
      file("web/kit/a.ts", "./b.ts"),
      file("web/state/c.ts", "../kit/a.ts"),
      file("web/main.ts", "./state/c.ts", "./kit/a.ts"),
    ];
    expect(acyclicFolders("web")(files)).toEqual([]);
    expect(acyclicFiles("web")(files)).toEqual([]);
    expect([...folderGraph(files, "web").get("web/main.ts")!.keys()]).toEqual(["web/state", "web/kit"]);
  });

  test("refuses folders that reach each other through a third, and names the imports", () => {
    const files = [
      file("web/a/one.ts", "../b/two.ts"),
      file("web/b/two.ts", "../c/three.ts"),
      file("web/c/three.ts", "../a/four.ts"),
    ];
    expect(acyclicFolders("web")(files)).toEqual([
      [
        "web/a, web/b, web/c import each other:",
        "  web/a/one.ts imports web/b/two.ts",
        "  web/b/two.ts imports web/c/three.ts",
        "  web/c/three.ts imports web/a/four.ts",
      ].join("\n"),
    ]);
    expect(acyclicFiles("web")(files)).toEqual([]);
  });

  test("refuses a circle of types and of imports that run later", () => {
    const types = [
      { path: "web/a/one.ts", text: 'import type { Two } from "./two.ts";' },
      { path: "web/a/two.ts", text: 'const later = () => import("./one.ts");' },
    ];
    expect(acyclicFiles("web")(types)).toHaveLength(1);
  });

  test("finds two circles apart from each other, and none in a diamond", () => {
    const graph = (edges: Record<string, string[]>) =>
      new Map(Object.entries(edges).map(([from, to]) => [from, new Map(to.map((one) => [one, one]))]));
    expect(circlesOf(graph({ a: ["b"], b: ["a"], c: ["d"], d: ["c", "a"] }))).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(circlesOf(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }))).toEqual([]);
  });
});
