// Merges two texts that were edited from the same base, line by line. Pure and bounded.

import { decodeUtf8 } from "../../kit/text/utf8.ts";

/** The bytes of the largest text that is merged; beyond it both versions are kept. */
const MERGE_BYTES_MAX = 1024 * 1024;
/** The time grows with the product of equal lines, so a text of many lines is not merged. */
const MERGE_LINES_MAX = 20_000;
/** The most pairs of equal lines: a text of nothing but equal lines would take minutes. */
const MERGE_PAIRS_MAX = 4_000_000;

interface Sides {
  readonly base: Uint8Array;
  readonly local: Uint8Array;
  readonly server: Uint8Array;
}

/** Returns the merged text; undefined if the edits overlap or a side is not text that can be merged. */
export async function mergeTexts({ base, local, server }: Sides): Promise<Uint8Array | undefined> {
  const [o, a, b] = [linesOf(base), linesOf(local), linesOf(server)];
  if (!o || !a || !b || pairs(o, a) + pairs(o, b) > MERGE_PAIRS_MAX) return undefined;
  const { diff3Merge } = await import("node-diff3");
  const merged: string[] = [];
  for (const { ok } of diff3Merge(a, o, b, { excludeFalseConflicts: true })) {
    if (!ok) return undefined;
    for (const line of ok) merged.push(line);
  }
  return new TextEncoder().encode(merged.join(""));
}

/** Undefined: not text, or too large. Lines keep their line feeds; the last line may have none. */
function linesOf(bytes: Uint8Array): string[] | undefined {
  if (bytes.length > MERGE_BYTES_MAX) return undefined;
  const text = decodeUtf8(bytes);
  if (text === undefined || text.includes("\0")) return undefined;
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  return lines.length > MERGE_LINES_MAX ? undefined : lines;
}

function pairs(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1);
  return other.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}
