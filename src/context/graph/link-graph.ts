// The links between the files of a space, resolved for one reader: a file that the reader may not list does not exist here, and the links of a
// document that the reader may not read are not shown.

import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../kit/clock.ts";
import { isDocumentPath } from "../versioned-store/document-files.ts";
import type { Outline } from "../versioned-store/engine.ts";
import { linkKinds, LINKS_PER_SPACE_MAX, tooManyLinks, type Link } from "../versioned-store/links.ts";
import { placeAmong } from "../versioned-store/outlines.ts";
import { coreOf } from "./core.ts";
import { isFoundWithoutLink } from "./entry-documents.ts";
import type { GraphData } from "./graph-data.ts";
import { pageRank } from "./rank.ts";
import { BROKEN, NO_FILE, Resolver } from "./resolving.ts";
import type { GraphCore, GraphLink, GraphTotals, RankedDocument } from "./schema.ts";

export interface Sight {
  readonly lists: (path: string) => boolean;
  readonly reads: (path: string) => boolean;
}

export class LinkGraph {
  readonly data: GraphData;
  #documents: Promise<readonly string[]> | undefined;
  #ranks: Promise<readonly RankedDocument[]> | undefined;
  #core: Promise<GraphCore> | undefined;

  constructor(data: GraphData) {
    this.data = data;
  }

  /** `outlines`: of all files, sorted by path. Pauses. Raises `too_large`. */
  static async of(outlines: readonly Outline[], sight?: Sight): Promise<LinkGraph> {
    const files = sight ? await seenFiles(outlines, sight) : outlines;
    const links = new Links();
    const resolver = await Resolver.of(files);
    const stretch = new Stretch(LIGHT_STEPS);
    for (const [file, { path, links: written }] of files.entries()) {
      if (written.length === 0 || sight?.reads(path) === false) continue;
      for (const link of written) {
        const to = resolver.resolve(file, link);
        if (to !== NO_FILE) links.add(file, to, link);
        if (stretch.isOver()) await turnOfOthers();
      }
    }
    const paths: string[] = [];
    for (const { path } of files) {
      paths.push(path);
      if (stretch.isOver()) await turnOfOthers();
    }
    return graphOf(paths, links);
  }

  /**
   * Returns the graph with other links of some documents, by their numbers. The targets of all other links do not change, because they depend
   * on the paths only. Pauses. Raises `too_large`.
   */
  async withLinks(changes: ReadonlyMap<number, readonly Link[]>): Promise<LinkGraph> {
    const { paths, from, to, lines, kinds, targets } = this.data;
    const resolver = await Resolver.of(paths.map((path) => ({ path })));
    const links = new Links();
    const left = [...changes.keys()].sort((a, b) => a - b);
    const addUpTo = (file: number) => {
      for (; left.length > 0 && left[0]! <= file; left.shift())
        for (const link of changes.get(left[0]!)!) {
          const target = resolver.resolve(left[0]!, link);
          if (target !== NO_FILE) links.add(left[0]!, target, link);
        }
    };
    const stretch = new Stretch(LIGHT_STEPS);
    for (let link = 0; link < to.length; link += 1) {
      const file = from[link]!;
      addUpTo(file);
      if (stretch.isOver()) await turnOfOthers();
      if (changes.has(file)) continue;
      const [line, kind, target] = [lines[link]!, linkKinds[kinds[link]!]!, targets[link]!];
      links.add(file, to[link]!, { line, kind, target });
    }
    addUpTo(paths.length);
    return graphOf(paths, links);
  }

  /** The number of a file; -1: there is none. */
  place(path: string): number {
    const { paths } = this.data;
    return placeAmong(paths.length, (place) => paths[place]!, path);
  }

  totals(): GraphTotals {
    return this.data.totals;
  }

  has(path: string): boolean {
    return this.place(path) >= 0;
  }

  /** The links of a document and to it. */
  *around(path: string): Generator<GraphLink> {
    const { from, to } = this.data;
    const file = this.place(path);
    for (let link = 0; link < to.length; link += 1)
      if (from[link] === file || to[link] === file) yield this.#link(link);
  }

  *links(): Generator<GraphLink> {
    for (let link = 0; link < this.data.to.length; link += 1) yield this.#link(link);
  }

  *broken(): Generator<GraphLink> {
    const { to } = this.data;
    for (let link = 0; link < to.length; link += 1) if (to[link] === BROKEN) yield this.#link(link);
  }

  *orphans(): Generator<string> {
    const { orphans, paths } = this.data;
    for (const file of orphans) yield paths[file]!;
  }

  /** The paths of all documents, sorted. Computed once. Pauses. */
  documents(): Promise<readonly string[]> {
    return (this.#documents ??= documentsIn(this.data));
  }

  /** Of every document, in the order of paths. Computed once. Pauses. */
  ranks(): Promise<readonly RankedDocument[]> {
    return (this.#ranks ??= this.documents().then((documents) => rankedIn(this.data, documents)));
  }

  /** The part that a picture shows: of the space, computed once, or around a file. Pauses. */
  core(around?: string): Promise<GraphCore> {
    if (around !== undefined) return coreOf(this.data, this.place(around));
    return (this.#core ??= coreOf(this.data));
  }

  #link(index: number): GraphLink {
    const { paths, from, to, lines, kinds, targets } = this.data;
    const file = to[index]!;
    return {
      from: paths[from[index]!]!,
      line: lines[index]!,
      kind: linkKinds[kinds[index]!]!,
      target: targets[index]!,
      to: file === BROKEN ? null : paths[file]!,
    };
  }
}

async function graphOf(paths: readonly string[], links: Links): Promise<LinkGraph> {
  const lists = links.lists();
  const linked = new Uint8Array(paths.length);
  const stretch = new Stretch(LIGHT_STEPS);
  for (let link = 0; link < lists.to.length; link += 1) {
    const to = lists.to[link]!;
    if (to >= 0 && to !== lists.from[link]) linked[to] = 1;
    if (stretch.isOver()) await turnOfOthers();
  }
  const orphans: number[] = [];
  let documents = 0;
  for (const [file, path] of paths.entries()) {
    if (isDocumentPath(path)) {
      documents += 1;
      if (linked[file] === 0 && !isFoundWithoutLink(path)) orphans.push(file);
    }
    if (stretch.isOver()) await turnOfOthers();
  }
  const { broken, count } = links;
  const totals = { documents, links: count, broken, orphans: orphans.length };
  return new LinkGraph({ totals, paths, orphans: Int32Array.from(orphans), ...lists });
}

const LINKS_AT_FIRST = 1_024;

/** Lists that grow in place, because converting long lists at once would hold up others. */
class Links {
  #from = new Int32Array(LINKS_AT_FIRST);
  #to = new Int32Array(LINKS_AT_FIRST);
  #lines = new Int32Array(LINKS_AT_FIRST);
  #kinds = new Uint8Array(LINKS_AT_FIRST);
  readonly #targets: string[] = [];
  broken = 0;

  get count(): number {
    return this.#targets.length;
  }

  add(from: number, to: number, { line, kind, target }: Link): void {
    if (this.count >= LINKS_PER_SPACE_MAX) throw tooManyLinks();
    if (this.count === this.#to.length) this.#grow();
    const at = this.#targets.push(target) - 1;
    this.#from[at] = from;
    this.#to[at] = to;
    this.#lines[at] = line;
    this.#kinds[at] = linkKinds.indexOf(kind);
    if (to === BROKEN) this.broken += 1;
  }

  #grow(): void {
    const length = this.#to.length * 2;
    const longer = (list: Int32Array) => {
      const grown = new Int32Array(length);
      grown.set(list);
      return grown;
    };
    this.#from = longer(this.#from);
    this.#to = longer(this.#to);
    this.#lines = longer(this.#lines);
    const kinds = this.#kinds;
    this.#kinds = new Uint8Array(length);
    this.#kinds.set(kinds);
  }

  lists(): Omit<GraphData, "totals" | "paths" | "orphans"> {
    return {
      from: this.#from.subarray(0, this.count),
      to: this.#to.subarray(0, this.count),
      lines: this.#lines.subarray(0, this.count),
      kinds: this.#kinds.subarray(0, this.count),
      targets: this.#targets,
    };
  }
}

async function documentsIn({ paths }: GraphData): Promise<readonly string[]> {
  const documents: string[] = [];
  const stretch = new Stretch(LIGHT_STEPS);
  for (const path of paths) {
    if (isDocumentPath(path)) documents.push(path);
    if (stretch.isOver()) await turnOfOthers();
  }
  return documents;
}

/** `documents`: among the paths, in the same order. */
async function rankedIn(
  { paths, from, to }: GraphData,
  documents: readonly string[],
): Promise<readonly RankedDocument[]> {
  const numbers = new Int32Array(paths.length).fill(-1);
  const stretch = new Stretch(LIGHT_STEPS);
  let next = 0;
  for (const [file, path] of paths.entries()) {
    if (path === documents[next]) numbers[file] = next++;
    if (stretch.isOver()) await turnOfOthers();
  }
  const sources: number[] = [];
  const targets: number[] = [];
  for (let link = 0; link < to.length; link += 1) {
    const target = to[link]!;
    if (target >= 0 && numbers[target]! >= 0) {
      sources.push(numbers[from[link]!]!);
      targets.push(numbers[target]!);
    }
    if (stretch.isOver()) await turnOfOthers();
  }
  const ranks = await pageRank(documents.length, { from: sources, to: targets });
  return documents.map((path, number) => ({ path, rank: ranks[number]! }));
}

async function seenFiles(outlines: readonly Outline[], sight: Sight): Promise<readonly Outline[]> {
  const seen: Outline[] = [];
  const stretch = new Stretch(LIGHT_STEPS);
  for (const outline of outlines) {
    if (sight.lists(outline.path)) seen.push(outline);
    if (stretch.isOver()) await turnOfOthers();
  }
  return seen;
}
