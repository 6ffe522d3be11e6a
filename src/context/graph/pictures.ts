// Turns the core of a graph into a picture: what each node is called, how large it is, and where it is. The places are computed in a worker and kept
// for the links that were asked for last, so that a page of an unchanged space costs nothing.

import { sha256Hex } from "../../kit/crypto.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import { DOCUMENT_EXTENSION } from "../versioned-store/document-files.ts";
import { LAYOUT_JOB, type Layout, type LayoutInput } from "./layout-job.ts";
import type { CoreDocument, GraphCore } from "./schema.ts";

/** Each is about 10 KB. */
const KEPT_MAX = 32;
const LABEL_CHARACTERS_MAX = 24;
/** In units of the picture. The most linked node has the last one. */
const RADII = [4, 5, 7, 9, 12] as const;

export interface PictureNode extends CoreDocument {
  /** Its name without folders and extension, cut. */
  readonly label: string;
  /** From 0. */
  readonly size: number;
  readonly radius: number;
  readonly x: number;
  readonly y: number;
  /** How far to zoom in until its label is shown: 1, 2, 4; 0: never. */
  readonly labelFrom: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PictureNode[];
  /** Pairs of nodes. */
  readonly edges: GraphCore["edges"];
  readonly leftOut: number;
}

export class Pictures {
  readonly #workers: Pick<WorkerPool, "run">;
  /** By what determines it; the one asked for last comes last. */
  readonly #kept = new Map<string, Promise<Layout>>();

  constructor(workers: Pick<WorkerPool, "run">) {
    this.#workers = workers;
  }

  /** `by`: the caller, for fairness. Raises what the pool raises. */
  async of({ documents, edges, left_out: leftOut }: GraphCore, by: string): Promise<Picture> {
    const most = documents.reduce((max, document) => Math.max(max, weightOf(document)), 0);
    const named = documents.map((document) => {
      const size = sizeOf(document, most);
      return { ...document, label: labelOf(document.path), size, radius: RADII[size]! };
    });
    const input = {
      radii: named.map(({ radius }) => radius),
      labels: named.map(({ label }) => Bun.stringWidth(label)),
      edges,
    };
    const { width, height, nodes } = await this.#layout(input, by);
    return {
      width,
      height,
      edges,
      leftOut,
      nodes: named.map((node, index) => ({ ...node, ...nodes[index]! })),
    };
  }

  #layout(input: LayoutInput, by: string): Promise<Layout> {
    const key = sha256Hex(JSON.stringify(input));
    const layout = this.#kept.get(key) ?? this.#workers.run(LAYOUT_JOB, input, { by });
    this.#kept.delete(key);
    this.#kept.set(key, layout);
    layout.catch(() => this.#kept.delete(key));
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!);
    return layout;
  }
}

function weightOf({ linked, links }: CoreDocument): number {
  return linked + links;
}

/** By the square root, so that the area tells the number of links. */
function sizeOf(document: CoreDocument, most: number): number {
  const weight = weightOf(document);
  if (weight <= 1) return 0;
  return Math.min(Math.floor(Math.sqrt(weight / most) * RADII.length), RADII.length - 1);
}

function labelOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(DOCUMENT_EXTENSION, "");
  const shown = [...visibleInLine(name || path)];
  return shown.length > LABEL_CHARACTERS_MAX
    ? `${shown.slice(0, LABEL_CHARACTERS_MAX - 1).join("")}…`
    : shown.join("");
}
