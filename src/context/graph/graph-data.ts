// The links of a space in lists of numbers, which take little memory and are read and written quickly.

import type { GraphTotals } from "./schema.ts";

/** A file is a number in the order of paths. Each link has one entry in each of its lists, in the order of its document and its place there. */
export interface GraphData {
  readonly totals: GraphTotals;
  readonly paths: readonly string[];
  /** Numbers of files. */
  readonly orphans: Int32Array;
  readonly from: Int32Array;
  /** A file, or `BROKEN`. */
  readonly to: Int32Array;
  readonly lines: Int32Array;
  /** Places in `linkKinds`. */
  readonly kinds: Uint8Array;
  readonly targets: readonly string[];
}
