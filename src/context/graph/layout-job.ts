// The work of placing documents in a picture, which runs in a worker; layout.ts does it.

import type { Job } from "../../kit/workers/job.ts";

/** The largest picture takes a tenth of it on a slow machine. */
const DEADLINE_MS = 8_000;
const INPUT_BYTES_MAX = 256 * 1024;
const NUMBER_BYTES = 8;

/** Lists with one entry for each node, the most important first. */
export interface LayoutInput {
  readonly radii: readonly number[];
  /** In characters. */
  readonly labels: readonly number[];
  /** Pairs of nodes. */
  readonly edges: readonly (readonly number[])[];
}

export interface Placed {
  readonly x: number;
  readonly y: number;
  /** How far to zoom in until there is room for its label: 1, 2, 4; 0: never. */
  readonly labelFrom: number;
}

/** In units that a screen shows as pixels, if it has as many. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Placed[];
}

export const LAYOUT_JOB: Job<LayoutInput, Layout> = {
  name: "graph_layout",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_BYTES_MAX,
  sizeOf: ({ radii, edges }) => (radii.length * 2 + edges.length * 2) * NUMBER_BYTES,
};
