// Goal: ranks follow the links, add up to 1 and are the same each time, and the order for a reader puts entries first and halves what is stale.

import { describe, expect, test } from "bun:test";
import { inOrderOfWeight, pageRank } from "../../../src/context/graph/rank.ts";

const ranksOf = async (count: number, ...edges: [from: number, to: number][]) =>
  pageRank(count, { from: edges.map(([from]) => from), to: edges.map(([, to]) => to) });
const rounded = (ranks: Float64Array) => [...ranks].map((rank) => Number(rank.toFixed(4)));

describe("ranks", () => {
  test("are equal without links, also of one document or none", async () => {
    expect(rounded(await ranksOf(0))).toEqual([]);
    expect(rounded(await ranksOf(1))).toEqual([1]);
    expect(rounded(await ranksOf(4))).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  test("solve the equation for a circle with a tail", async () => {
    // 0 → 1 → 2 → 0, 3 → 0. The tail has (1 - d) / 4, and passes it on.
    const ranks = await ranksOf(4, [0, 1], [1, 2], [2, 0], [3, 0]);
    const linked: [node: number, from: number[]][] = [
      [1, [0]],
      [2, [1]],
      [0, [2, 3]],
      [3, []],
    ];
    for (const [node, from] of linked)
      expect(ranks[node]).toBeCloseTo(0.15 / 4 + 0.85 * from.reduce((sum, one) => sum + ranks[one]!, 0), 3);
    expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9);
  });

  test("count a repeated link once and a link to itself not at all, and pass on the rank of a dead end", async () => {
    expect(await ranksOf(3, [0, 1], [0, 1], [0, 0], [0, 2])).toEqual(await ranksOf(3, [0, 1], [0, 2]));
    const ranks = await ranksOf(3, [0, 1], [2, 1]);
    expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9);
    expect(ranks[1]!).toBeGreaterThan(2 * ranks[0]!);
  });

  test("are the same each time", async () => {
    const edges = Array.from({ length: 5_000 }, (_, index): [number, number] => [
      Math.floor(index / 5),
      (index * 7_919) % 1_000,
    ]);
    expect(await ranksOf(1_000, ...edges)).toEqual(await ranksOf(1_000, ...edges));
  });
});

test("orders entry documents first, then by rank, halved for stale ones, ties by path", () => {
  const document = (path: string, rank: number, stale = false) => ({ path, rank, stale });
  const ordered = inOrderOfWeight([
    document("b.md", 0.1),
    document("a.md", 0.1),
    document("old.md", 0.3, true),
    document("best.md", 0.2),
    document("sub/README.md", 0.01),
    document("index.md", 0),
    document("README.md", 0, true),
    document("context-entry.md", 0),
  ]);
  expect(ordered.map(({ path }) => path)).toEqual([
    "context-entry.md",
    "README.md",
    "index.md",
    "best.md",
    "old.md",
    "a.md",
    "b.md",
    "sub/README.md",
  ]);
});
