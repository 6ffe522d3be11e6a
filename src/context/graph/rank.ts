// Ranks documents by the links between them, and orders them for a reader with little room. Pure: the same links always give the same order.

import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../kit/clock.ts";
import { compare } from "../../kit/compare.ts";
import { entryPlace } from "./entry-documents.ts";

/** The share of a rank that follows links (Brin and Page, 1998). */
const DAMPING = 0.85;
const ROUNDS_MAX = 50;
/** Stop once all ranks together change by less than this share. */
const SETTLED = 1e-6;
const STALE_WEIGHT = 0.5;

interface Edges {
  /** Numbers below `count`, grouped by `from`. Repeated edges count once, and an edge to itself not at all. */
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

/** PageRank: the sum of all ranks is 1. A document without links passes its rank to all. Pauses. */
export async function pageRank(count: number, edges: Edges): Promise<Float64Array> {
  const stretch = new Stretch(LIGHT_STEPS);
  const { from, to, degrees } = await distinct(count, edges, stretch);
  let ranks = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    let unlinked = 0;
    for (let node = 0; node < count; node += 1) if (degrees[node] === 0) unlinked += ranks[node]!;
    const next = new Float64Array(count).fill((1 - DAMPING + DAMPING * unlinked) / count);
    for (let edge = 0; edge < from.length; edge += 1) {
      const node = from[edge]!;
      next[to[edge]!]! += (DAMPING * ranks[node]!) / degrees[node]!;
      if (stretch.isOver()) await turnOfOthers();
    }
    let change = 0;
    for (let node = 0; node < count; node += 1) change += Math.abs(next[node]! - ranks[node]!);
    ranks = next;
    if (change < SETTLED) break;
  }
  return ranks;
}

async function distinct(count: number, edges: Edges, stretch: Stretch) {
  const degrees = new Uint32Array(count);
  const lastFrom = new Int32Array(count).fill(-1);
  const from: number[] = [];
  const to: number[] = [];
  for (let edge = 0; edge < edges.from.length; edge += 1) {
    if (stretch.isOver()) await turnOfOthers();
    const [source, target] = [edges.from[edge]!, edges.to[edge]!];
    if (source === target || lastFrom[target] === source) continue;
    lastFrom[target] = source;
    degrees[source]! += 1;
    from.push(source);
    to.push(target);
  }
  return { from, to, degrees };
}

interface Ranked {
  readonly path: string;
  readonly rank: number;
  readonly stale: boolean;
}

/** Returns the documents in the order in which they deserve room: entry documents, then by rank, which counts half if stale. Ties by path. */
export function inOrderOfWeight<D extends Ranked>(documents: readonly D[]): D[] {
  const weighed = documents.map((document) => ({
    document,
    place: entryPlace(document.path) ?? Infinity,
    weight: document.rank * (document.stale ? STALE_WEIGHT : 1),
  }));
  weighed.sort(
    (a, b) =>
      compare(a.place, b.place) || compare(b.weight, a.weight) || compare(a.document.path, b.document.path),
  );
  return weighed.map(({ document }) => document);
}
