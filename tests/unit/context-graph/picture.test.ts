// Goal: a picture shows the most linked part of any graph, is the same each time, and hides no node behind another; unchanged links are laid out once.

import { describe, expect, test } from "bun:test";
import { layOut } from "../../../src/context/graph/layout.ts";
import type { LayoutInput } from "../../../src/context/graph/layout-job.ts";
import { LinkGraph } from "../../../src/context/graph/link-graph.ts";
import { Pictures } from "../../../src/context/graph/pictures.ts";
import { CORE_DOCUMENTS_MAX, CORE_EDGES_MAX } from "../../../src/context/graph/schema.ts";
import { linksOf } from "../../../src/context/versioned-store/links.ts";
import type { Job } from "../../../src/kit/workers/job.ts";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";

const graphOf = (documents: Readonly<Record<string, string>>) =>
  LinkGraph.of(
    Object.keys(documents)
      .sort()
      .map((path) => ({
        path: parseDocumentPath("path", path),
        version: 1,
        links: linksOf(documents[path]!),
      })),
  );
const name = (index: number) => `d${String(index).padStart(4, "0")}`;

/** Document i links to the i documents before it, up to a bound. */
const crowd = (count: number, each: number) =>
  graphOf(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `${name(index)}.md`,
        Array.from({ length: Math.min(index, each) }, (_one, back) => `[[${name(index - back - 1)}]]`).join(
          " ",
        ),
      ]),
    ),
  );

/** Runs the layout here and counts. */
function pictures() {
  const inputs: LayoutInput[] = [];
  const run = <Input, Output>(_job: Job<Input, Output>, input: Input): Promise<Output> => {
    inputs.push(input as LayoutInput);
    return Promise.resolve(layOut(input as LayoutInput) as Output);
  };
  return { inputs, pictures: new Pictures({ run }) };
}

describe("the core of a graph", () => {
  test("of a crowd has as many documents and edges as a picture can show, the most linked ones first", async () => {
    const graph = await crowd(CORE_DOCUMENTS_MAX + 100, 12);
    const { documents, edges, left_out } = await graph.core();
    expect([documents.length, edges.length, left_out]).toEqual([CORE_DOCUMENTS_MAX, CORE_EDGES_MAX, 100]);
    const weights = documents.map(({ linked, links }) => linked + links);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(new Set(edges.map(([one, other]) => `${one} ${other}`)).size).toBe(CORE_EDGES_MAX);
    expect(edges.every(([one, other]) => one! < other! && other! < CORE_DOCUMENTS_MAX)).toBe(true);
    expect(await graph.core()).toEqual({ documents, edges, left_out });
  });

  test("around a document begins with it and goes two steps, to the most linked if there are too many", async () => {
    const chain = await crowd(10, 1);
    const { documents, left_out } = await chain.core("d0004.md");
    expect(documents.map(({ path }) => path)).toEqual([
      "d0004.md",
      "d0003.md",
      "d0005.md",
      "d0002.md",
      "d0006.md",
    ]);
    expect(left_out).toBe(5);
    const star = await graphOf({
      "hub.md": Array.from({ length: 200 }, (_, index) => `[[${name(index)}]]`).join(" "),
      ...Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${name(index)}.md`, ""])),
    });
    const around = await star.core("hub.md");
    expect([around.documents.length, around.documents[0]!.path, around.left_out]).toEqual([
      80,
      "hub.md",
      121,
    ]);
  });
});

describe("a picture", () => {
  test("is the same each time, lies inside its frame, and keeps nodes and labels apart", async () => {
    const core = await (await crowd(60, 3)).core();
    const [one, other] = [pictures(), pictures()];
    const picture = await one.pictures.of(core, "ada");
    expect(await other.pictures.of(core, "bob")).toEqual(picture);
    const { nodes, width, height } = picture;
    for (const { x, y, radius } of nodes) {
      expect([x - radius, y - radius].every((least) => least >= 0)).toBe(true);
      expect([x + radius <= width, y + radius <= height]).toEqual([true, true]);
    }
    const near = nodes.flatMap((a, place) =>
      nodes.slice(place + 1).filter((b) => Math.hypot(a.x - b.x, a.y - b.y) < (a.radius + b.radius) / 2),
    );
    expect(near).toEqual([]);
    expect(nodes.filter(({ labelFrom }) => labelFrom === 1).length).toBeGreaterThan(10);
  });

  test("of unchanged links is laid out once, and one that failed again", async () => {
    const core = await (await crowd(5, 1)).core();
    const { pictures: kept, inputs } = pictures();
    await Promise.all([kept.of(core, "ada"), kept.of(core, "ada")]);
    await kept.of({ ...core, edges: [] }, "ada");
    expect(inputs.length).toBe(2);
    let runs = 0;
    const failing = new Pictures({ run: () => Promise.reject(new Error(`run ${(runs += 1)}`)) });
    await expect(failing.of(core, "ada")).rejects.toThrow("run 1");
    await expect(failing.of(core, "ada")).rejects.toThrow("run 2");
  });

  test("of nothing, of one document and of a hostile name", async () => {
    const { pictures: kept } = pictures();
    expect((await kept.of(await (await graphOf({})).core(), "ada")).nodes).toEqual([]);
    const bidi = "a\u202egpj.md";
    const path = `${"long".repeat(50)}.md`;
    const core = (await (await graphOf({ "one.md": "" })).core()) as { documents: object[] };
    const named = [bidi, path].map((other) => ({ ...core.documents[0]!, path: other }));
    const { nodes } = await kept.of({ documents: named, edges: [], left_out: 0 } as never, "ada");
    expect(nodes.map(({ label }) => label)).toEqual(["a\ufffdgpj", `${"long".repeat(6).slice(0, 23)}…`]);
  });
});
