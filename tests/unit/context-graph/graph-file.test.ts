// Goal: the kept graph of a space is the graph, as long as no file has changed, and a file that is not exactly that is ignored.

import { describe, expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rights } from "../../../src/context/access/rights.ts";
import { Graph } from "../../../src/context/graph/graph.ts";
import { keepGraph, readGraph } from "../../../src/context/graph/graph-file.ts";
import { LinkGraph } from "../../../src/context/graph/link-graph.ts";
import type { Caller } from "../../../src/context/identity/caller.ts";
import type { OpenSpace } from "../../../src/context/spaces/open-space.ts";
import { linksOf } from "../../../src/context/versioned-store/links.ts";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { parseDocumentPath } from "../../../src/kit/paths.ts";
import { silent } from "../../kit/file-engine.ts";
import { until } from "../../kit/eventually.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const LINKS = "[[a]] [[none]] [x](ü.md) see b/c.md\n".repeat(1_500);
const outline = (path: string, text = "") => ({
  path: parseDocumentPath("path", path),
  version: 1,
  links: linksOf(text),
});
const large = () => LinkGraph.of([outline("a.md", LINKS), outline("b/c.md"), outline("ü.md", "[[ü]]")]);

describe("a kept graph", () => {
  test("is the same graph in every answer", async () => {
    await using folder = await temporaryFolder();
    const graph = await large();
    await keepGraph(folder.path, "one", graph);
    const kept = readGraph(folder.path, "one")!;
    expect(kept.totals()).toEqual({ documents: 3, links: 5_001, broken: 1_250, orphans: 1 });
    expect([...kept.links()]).toEqual([...graph.links()]);
    expect([...kept.broken()]).toEqual([...graph.broken()]);
    expect([...kept.orphans()]).toEqual([...graph.orphans()]);
    expect([...kept.around("ü.md")]).toEqual([...graph.around("ü.md")]);
    expect(await kept.ranks()).toEqual(await graph.ranks());
    expect([kept.has("b/c.md"), kept.has("b/d.md")]).toEqual([true, false]);
  });

  test("is for the files that it was made from only, and for large spaces only", async () => {
    await using folder = await temporaryFolder();
    expect(readGraph(folder.path, "one")).toBeUndefined();
    await keepGraph(folder.path, "one", await LinkGraph.of([outline("a.md", "[[a]]")]));
    expect(readGraph(folder.path, "one")).toBeUndefined();
    await keepGraph(folder.path, "one", await large());
    expect(readGraph(folder.path, "two")).toBeUndefined();
  });

  test("is ignored if it is damaged", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "graph.cache");
    await keepGraph(folder.path, "one", await large());
    const bytes = readFileSync(path);
    for (const at of [0, 10, 60, 1_000, bytes.length - 1]) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      writeFileSync(path, damaged);
      expect([at, readGraph(folder.path, "one")]).toEqual([at, undefined]);
    }
    for (const length of [0, 5, 400, bytes.length - 1]) {
      writeFileSync(path, bytes);
      truncateSync(path, length);
      expect(readGraph(folder.path, "one")).toBeUndefined();
    }
    writeFileSync(path, bytes);
    expect(readGraph(folder.path, "one")).toBeDefined();
  });
});

test("a command on an unchanged space reads the kept graph, and any change on disk makes another", async () => {
  await using folder = await temporaryFolder();
  await using stack = new AsyncDisposableStack();
  const engine = openSqliteEngine({ directory: folder.path, clock: systemClock, log: silent });
  stack.defer(() => engine.close());
  const caller = { name: "ann", rights: new Rights("admin", null, []) } as unknown as Caller;
  const looked = () => Promise.resolve({ name: "main", engine } as unknown as OpenSpace);
  const totals = async () => {
    const graph = new Graph({ spaces: { looked }, clock: systemClock, kept: true });
    return (await graph.answer(caller, "main", {})).totals!;
  };
  await folder.write("a.md", LINKS);
  expect(await totals()).toMatchObject({ documents: 1, links: 5_000, broken: 3_750 });
  // Nothing tells whether a file changes again within one tick of the clock, so the graph is kept a moment later.
  const own = join(folder.path, ".cairn");
  const fingerprint = await until(() => engine.fingerprint());
  expect(await totals()).toMatchObject({ documents: 1, links: 5_000, broken: 3_750 });
  expect(readGraph(own, fingerprint)).toBeDefined();
  // Another graph in its place shows that it is read.
  await keepGraph(own, fingerprint, await large());
  expect(await totals()).toMatchObject({ documents: 3, links: 5_001 });
  await folder.write("b.md", "[[a]]");
  expect(await totals()).toMatchObject({ documents: 2, links: 5_001 });
});
