// Chooses the part of a graph that a picture can show: the most linked documents of a space, or those around one document, and which of them are
// linked. Bounded, however large the graph is. Pauses.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { isDocumentPath } from "../versioned-store/document-files.ts";
import type { GraphData } from "./graph-data.ts";
import { BROKEN } from "./resolving.ts";
import { CORE_DOCUMENTS_MAX, CORE_EDGES_MAX, type GraphCore } from "./schema.ts";

/** Around one document, more would hide it. */
const AROUND_DOCUMENTS_MAX = 80;
/** The document itself, its neighbours, and theirs. */
const STEPS_MAX = 2;
/** Documents with more links than this count as equal. */
const COUNTED_MAX = 65_535;
/** Places in the core are below it, so that a pair of them is one number. */
const PAIR = 1_024;

/** `around`: the number of a file. Undefined: the whole space. */
export async function coreOf(data: GraphData, around?: number): Promise<GraphCore> {
  const counts = await countsOf(data);
  const chosen =
    around === undefined
      ? await mostLinked(counts, CORE_DOCUMENTS_MAX, (file) => isDocumentPath(data.paths[file]!))
      : await nearest(data, counts, around);
  const documents = chosen.map((file) => ({
    path: data.paths[file]!,
    linked: counts.linked[file]!,
    links: counts.links[file]!,
    broken: counts.broken[file]!,
  }));
  return {
    documents,
    edges: await edgesAmong(data, chosen),
    left_out: data.totals.documents - chosen.filter((file) => isDocumentPath(data.paths[file]!)).length,
  };
}

/** One entry for each file. */
interface Counts {
  readonly linked: Uint32Array;
  readonly links: Uint32Array;
  readonly broken: Uint32Array;
}

async function countsOf({ paths, from, to }: GraphData): Promise<Counts> {
  const list = () => new Uint32Array(paths.length);
  const counts = { linked: list(), links: list(), broken: list() };
  const stretch = new Stretch();
  for (let link = 0; link < to.length; link += 1) {
    const [source, target] = [from[link]!, to[link]!];
    if (target === BROKEN) counts.broken[source]! += 1;
    else if (target !== source) {
      counts.links[source]! += 1;
      counts.linked[target]! += 1;
    }
    if (stretch.isOver()) await turnOfOthers();
  }
  return counts;
}

function weightIn({ linked, links }: Counts, file: number): number {
  return Math.min(linked[file]! + links[file]!, COUNTED_MAX);
}

/** Returns the files with the most links among those that pass, ties by path, without sorting all of them. */
async function mostLinked(
  counts: Counts,
  max: number,
  passes: (file: number) => boolean,
): Promise<readonly number[]> {
  const files = counts.linked.length;
  const stretch = new Stretch();
  const ofWeight = new Uint32Array(COUNTED_MAX + 1);
  for (let file = 0; file < files; file += 1) {
    if (passes(file)) ofWeight[weightIn(counts, file)]! += 1;
    if (stretch.isOver()) await turnOfOthers();
  }
  let least = COUNTED_MAX;
  let heavier = 0;
  while (least > 0 && heavier + ofWeight[least]! < max) heavier += ofWeight[least--]!;
  let ties = max - heavier;
  const chosen: number[] = [];
  for (let file = 0; file < files; file += 1) {
    const weight = weightIn(counts, file);
    if (weight >= least && passes(file) && (weight > least || ties-- > 0)) chosen.push(file);
    if (stretch.isOver()) await turnOfOthers();
  }
  return chosen.sort((a, b) => weightIn(counts, b) - weightIn(counts, a) || a - b);
}

/** Returns the file and those around it, nearest first. */
async function nearest(data: GraphData, counts: Counts, around: number): Promise<readonly number[]> {
  const { paths, from, to } = data;
  const chosen = [around];
  const reached = new Uint8Array(paths.length);
  reached[around] = 1;
  const stretch = new Stretch();
  for (let step = 0; step < STEPS_MAX && chosen.length < AROUND_DOCUMENTS_MAX; step += 1) {
    const next = new Uint8Array(paths.length);
    for (let link = 0; link < to.length; link += 1) {
      const [source, target] = [from[link]!, to[link]!];
      if (target !== BROKEN && reached[source] !== reached[target])
        next[reached[source] === 1 ? target : source] = 1;
      if (stretch.isOver()) await turnOfOthers();
    }
    const room = AROUND_DOCUMENTS_MAX - chosen.length;
    for (const file of await mostLinked(counts, room, (one) => next[one] === 1)) {
      chosen.push(file);
      reached[file] = 1;
    }
  }
  return chosen;
}

/** Each linked pair once, those of the most linked documents first. */
async function edgesAmong({ paths, from, to }: GraphData, chosen: readonly number[]): Promise<number[][]> {
  const places = new Int16Array(paths.length).fill(-1);
  for (const [place, file] of chosen.entries()) places[file] = place;
  const pairs = new Set<number>();
  const stretch = new Stretch();
  for (let link = 0; link < to.length; link += 1) {
    const one = places[from[link]!]!;
    const other = to[link] === BROKEN ? -1 : places[to[link]!]!;
    if (one >= 0 && other >= 0 && one !== other)
      pairs.add(Math.max(one, other) * PAIR + Math.min(one, other));
    if (stretch.isOver()) await turnOfOthers();
  }
  // By the place of the less linked document, which is the larger one.
  return [...Float64Array.from(pairs).sort().subarray(0, CORE_EDGES_MAX)].map((pair) => [
    pair % PAIR,
    Math.floor(pair / PAIR),
  ]);
}
