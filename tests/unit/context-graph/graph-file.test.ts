// Goal: the kept graph of a space is the graph, as long as no file has changed, and a file that is not exactly that is ignored.

import { describe, expect, spyOn, test } from "bun:test";
import { readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rights } from "../../../src/context/access/rights.ts";
import { Graph } from "../../../src/context/graph/graph.ts";
import { keepGraph, readGraph } from "../../../src/context/graph/graph-file.ts";
import { LinkGraph } from "../../../src/context/graph/link-graph.ts";
import type { GraphAnswer, GraphQuery } from "../../../src/context/graph/schema.ts";
import type { Caller } from "../../../src/context/identity/caller.ts";
import type { OpenSpace } from "../../../src/context/spaces/open-space.ts";
import type { SpaceEngine } from "../../../src/context/versioned-store/engine.ts";
import { linksOf } from "../../../src/context/versioned-store/links.ts";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";
import { silent } from "../../kit/silent.ts";
import { until } from "../../kit/eventually.ts";
import { temporaryFolder, type Folder } from "../../kit/folder.ts";

const LINKS = "[[a]] [[none]] [x](ü.md) see b/c.md\n".repeat(1_500);
const outline = (path: string, text = "") => ({
  path: parseDocumentPath("path", path),
  version: 1,
  links: linksOf(text),
});
const large = () => LinkGraph.of([outline("a.md", LINKS), outline("b/c.md"), outline("ü.md", "[[ü]]")]);

const HEAD = { epoch: "0123456789ab", seq: 7 };
const lookAs = (fingerprint: string) => ({
  fingerprint,
  names: "a.md\nb/c.md\nü.md",
  facts: Float64Array.from({ length: 12 }, (_, index) => index / 3),
});
const keptAs = (fingerprint: string, graph: LinkGraph) => ({
  graph,
  head: HEAD,
  look: lookAs(fingerprint),
  glance: "",
});

describe("a kept graph", () => {
  test("is the same graph in every answer", async () => {
    await using folder = await temporaryFolder();
    const graph = await large();
    await keepGraph(folder.path, keptAs("one", graph));
    const { graph: kept, head, look } = readGraph(folder.path)!;
    expect({ head, look }).toEqual({ head: HEAD, look: lookAs("one") });
    expect(kept.totals()).toEqual({ documents: 3, links: 5_001, broken: 1_250, orphans: 1 });
    expect([...kept.links()]).toEqual([...graph.links()]);
    expect([...kept.broken()]).toEqual([...graph.broken()]);
    expect([...kept.orphans()]).toEqual([...graph.orphans()]);
    expect([...kept.around("ü.md")]).toEqual([...graph.around("ü.md")]);
    expect(await kept.ranks()).toEqual(await graph.ranks());
    expect([kept.has("b/c.md"), kept.has("b/d.md")]).toEqual([true, false]);
  });

  test("is for large spaces only", async () => {
    await using folder = await temporaryFolder();
    expect(readGraph(folder.path)).toBeUndefined();
    await keepGraph(folder.path, keptAs("one", await LinkGraph.of([outline("a.md", "[[a]]")])));
    expect(readGraph(folder.path)).toBeUndefined();
  });

  test("is ignored if it is damaged", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "graph.cache");
    await keepGraph(folder.path, keptAs("one", await large()));
    const bytes = readFileSync(path);
    for (const at of [0, 10, 60, 1_000, bytes.length - 1]) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      writeFileSync(path, damaged);
      expect([at, readGraph(folder.path)]).toEqual([at, undefined]);
    }
    for (const length of [0, 5, 400, bytes.length - 1]) {
      writeFileSync(path, bytes);
      truncateSync(path, length);
      expect(readGraph(folder.path)).toBeUndefined();
    }
    writeFileSync(path, bytes);
    expect(readGraph(folder.path)).toBeDefined();
  });
});

interface Desk extends AsyncDisposable {
  readonly folder: Folder;
  readonly engine: SpaceEngine;
  readonly own: string;
  /** As a command asks, and as one that keeps nothing. */
  answer(query: GraphQuery, kept?: boolean): Promise<GraphAnswer>;
  /** How often all links were read. */
  readonly wholeReadings: () => number;
}

async function desk(): Promise<Desk> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const engine = openSqliteEngine({ directory: folder.path, clock: systemClock, log: silent });
  stack.defer(() => engine.close());
  const readings = spyOn(engine, "outlines");
  const caller = { name: "ann", rights: new Rights("admin", null, []) } as unknown as Caller;
  const looked = () => Promise.resolve({ name: "main", engine } as unknown as OpenSpace);
  const moved = stack.move();
  return {
    folder,
    engine,
    own: join(folder.path, ".cairn"),
    answer: (query, kept = true) =>
      new Graph({ spaces: { looked }, clock: systemClock, kept }).answer(caller, "main", query),
    wholeReadings: () => readings.mock.calls.length,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

test("a command on an unchanged space reads the kept graph, and any change on disk makes another", async () => {
  await using at = await desk();
  const { folder, engine, own } = at;
  const totals = async () => (await at.answer({})).totals!;
  await folder.write("a.md", LINKS);
  expect(await totals()).toMatchObject({ documents: 1, links: 5_000, broken: 3_750 });
  // Nothing tells whether a file changes again within one tick of the clock, so the graph is kept a moment later.
  const look = await until(() => engine.look());
  expect(await totals()).toMatchObject({ documents: 1, links: 5_000, broken: 3_750 });
  expect(readGraph(own)?.look).toEqual(look);
  // Another graph in its place shows that it is read.
  const glance = await engine.glance();
  const other = { graph: await large(), head: engine.head(), look };
  await keepGraph(own, { ...other, glance: "" });
  expect(await totals()).toMatchObject({ documents: 3, links: 5_001 });
  if (process.platform === "linux") {
    // From then on a glance is enough.
    expect(readGraph(own)?.glance).toBe(glance!);
    await keepGraph(own, { ...other, look: { ...look, fingerprint: "another" }, glance: glance! });
    expect(await totals()).toMatchObject({ documents: 3, links: 5_001 });
  }
  await folder.write("b.md", "[[a]]");
  expect(await totals()).toMatchObject({ documents: 2, links: 5_001 });
});

test("after edits of documents, the kept graph is brought up to date, and is the graph", async () => {
  await using at = await desk();
  const { folder, engine } = at;
  await folder.write("a.md", LINKS);
  await folder.write("b/c.md", "[[a]]");
  for (const name of ["d", "e", "f"]) await folder.write(`${name}.md`, "[[a]] [[f]]");
  await adopt(engine, ["a.md", "b/c.md", "d.md", "e.md"]);
  const steps: readonly [says: string, readsAll: boolean, change: () => unknown][] = [
    ["at first", true, () => {}],
    ["nothing", false, () => {}],
    [
      "an edit by hand, of a document and of one without a version",
      false,
      () => {
        writeFileSync(join(folder.path, "e.md"), "[[d]] [[nowhere]]");
        writeFileSync(join(folder.path, "f.md"), "");
      },
    ],
    [
      "a recorded edit, and one that is undone by another",
      false,
      async () => {
        await put(engine, "d.md", "[[b/c]]");
        await put(engine, "e.md", "[[a]] [[f]]");
      },
    ],
    [
      "an editor that replaces the file",
      false,
      () => {
        writeFileSync(join(folder.path, "b/c.md~"), "[[e]]");
        renameSync(join(folder.path, "b/c.md~"), join(folder.path, "b/c.md"));
      },
    ],
    ["a new document", true, () => folder.write("nowhere.md", "[[a]]")],
    [
      "a document that is gone",
      true,
      () => engine.apply({ author: "ann", operations: [{ op: "delete", path: path("d.md") }] }),
    ],
  ];
  for (const [says, readsAll, change] of steps) {
    await change();
    await until(() => engine.look());
    const before = at.wholeReadings();
    const answers = await Promise.all([
      at.answer({}),
      at.answer({ only: "links" }),
      at.answer({ only: "orphans" }),
    ]);
    expect([says, at.wholeReadings() > before]).toEqual([says, readsAll]);
    const fresh = await Promise.all(
      ([{}, { only: "links" }, { only: "orphans" }] as const).map((query) => at.answer(query, false)),
    );
    expect({ says, answers }).toEqual({ says, answers: fresh as typeof answers });
  }
});

const path = (text: string) => parseDocumentPath("path", text);

async function put(engine: SpaceEngine, name: string, text: string): Promise<void> {
  const operation = { op: "put", path: path(name), content: new TextEncoder().encode(text) } as const;
  await engine.apply({ author: "ann", operations: [operation] });
}

async function adopt(engine: SpaceEngine, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { bytes: content } = (await engine.copy(path(name)))!;
    await engine.apply({
      author: "ann",
      operations: [{ op: "put", path: path(name), content, unlessSame: true }],
    });
  }
}
