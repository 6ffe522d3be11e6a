// The links between the files of a space, resolved for one reader: a file that the reader may not list does not exist here, and the links of a
// document that the reader may not read are not shown.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { Outline } from "../versioned-store/engine.ts";
import { tooManyLinks, LINKS_PER_SPACE_MAX, type Link } from "../versioned-store/links.ts";
import { placeOf } from "../versioned-store/outlines.ts";
import { isFoundWithoutLink } from "./entries.ts";
import { pageRank } from "./rank.ts";
import { BROKEN, isDocumentPath, NO_FILE, Resolver } from "./resolving.ts";
import type { GraphLink, GraphTotals, RankedDocument } from "./schema.ts";

export interface Sight {
  readonly lists: (path: string) => boolean;
  readonly reads: (path: string) => boolean;
}

export class LinkGraph {
  /** Sorted by path. A file is a number in this order. */
  readonly #files: readonly Outline[];
  /** One entry for each link, in the order of its document and its place there. `#to`: a file, or `BROKEN`. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #links: Link[] = [];
  #broken = 0;
  #documents = 0;
  readonly #orphans: number[] = [];
  #ranks: Promise<readonly RankedDocument[]> | undefined;

  private constructor(files: readonly Outline[]) {
    this.#files = files;
  }

  /** `outlines`: of all files, sorted by path. Pauses. Raises `too_large`. */
  static async of(outlines: readonly Outline[], sight?: Sight): Promise<LinkGraph> {
    const files = sight ? await seenFiles(outlines, sight) : outlines;
    const graph = new LinkGraph(files);
    const linked = new Uint8Array(files.length);
    const resolver = await Resolver.of(files);
    const stretch = new Stretch();
    for (const [file, { path, links }] of files.entries()) {
      if (links.length === 0 || sight?.reads(path) === false) continue;
      for (const link of links) {
        const to = resolver.resolve(file, link);
        if (to !== NO_FILE) graph.#add(file, to, link);
        if (to >= 0 && to !== file) linked[to] = 1;
        if (stretch.isOver()) await turnOfOthers();
      }
    }
    for (const [file, { path }] of files.entries()) {
      if (!isDocumentPath(path)) continue;
      graph.#documents += 1;
      if (linked[file] === 0 && !isFoundWithoutLink(path)) graph.#orphans.push(file);
      if (stretch.isOver()) await turnOfOthers();
    }
    return graph;
  }

  #add(from: number, to: number, link: Link): void {
    if (this.#links.length >= LINKS_PER_SPACE_MAX) throw tooManyLinks();
    this.#from.push(from);
    this.#to.push(to);
    this.#links.push(link);
    if (to === BROKEN) this.#broken += 1;
  }

  totals(): GraphTotals {
    return {
      documents: this.#documents,
      links: this.#links.length,
      broken: this.#broken,
      orphans: this.#orphans.length,
    };
  }

  has(path: string): boolean {
    return placeOf(this.#files, path) >= 0;
  }

  /** The links of a document and to it. */
  *around(path: string): Generator<GraphLink> {
    const file = placeOf(this.#files, path);
    for (let link = 0; link < this.#to.length; link += 1)
      if (this.#from[link] === file || this.#to[link] === file) yield this.#link(link);
  }

  *links(): Generator<GraphLink> {
    for (let link = 0; link < this.#to.length; link += 1) yield this.#link(link);
  }

  *broken(): Generator<GraphLink> {
    for (let link = 0; link < this.#to.length; link += 1)
      if (this.#to[link] === BROKEN) yield this.#link(link);
  }

  *orphans(): Generator<string> {
    for (const file of this.#orphans) yield this.#files[file]!.path;
  }

  /** Of every document, in the order of paths. Computed once. Pauses. */
  ranks(): Promise<readonly RankedDocument[]> {
    return (this.#ranks ??= this.#ranked());
  }

  async #ranked(): Promise<readonly RankedDocument[]> {
    const documents: string[] = [];
    const numbers = new Int32Array(this.#files.length).fill(-1);
    const stretch = new Stretch();
    for (const [file, { path }] of this.#files.entries()) {
      if (isDocumentPath(path)) numbers[file] = documents.push(path) - 1;
      if (stretch.isOver()) await turnOfOthers();
    }
    const from: number[] = [];
    const to: number[] = [];
    for (let link = 0; link < this.#to.length; link += 1) {
      const [source, target] = [this.#from[link]!, this.#to[link]!];
      if (target < 0 || numbers[target]! < 0) continue;
      from.push(numbers[source]!);
      to.push(numbers[target]!);
      if (stretch.isOver()) await turnOfOthers();
    }
    const ranks = await pageRank(documents.length, { from, to });
    return documents.map((path, number) => ({ path, rank: ranks[number]! }));
  }

  #link(index: number): GraphLink {
    const { line, kind, target } = this.#links[index]!;
    const to = this.#to[index]!;
    const from = this.#files[this.#from[index]!]!.path;
    return { from, line, kind, target, to: to === BROKEN ? null : this.#files[to]!.path };
  }
}

async function seenFiles(outlines: readonly Outline[], sight: Sight): Promise<readonly Outline[]> {
  const seen: Outline[] = [];
  const stretch = new Stretch();
  for (const outline of outlines) {
    if (sight.lists(outline.path)) seen.push(outline);
    if (stretch.isOver()) await turnOfOthers();
  }
  return seen;
}
