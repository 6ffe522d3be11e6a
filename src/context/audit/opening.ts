// Examines the audit file when a server opens it: where the chain goes on, and whether the file matches its anchor. A file that is longer
// than its anchor is what a crash leaves; one that is shorter or different is not. Reads only what was written since the anchor, unless that
// does not follow.

import { CHAIN_START, type ChainEnd } from "../../kit/hash-chain.ts";
import { readLines, readLinesBack, type Line } from "./audit-file.ts";
import { parseRecord } from "./record.ts";
import type { AnchorRow } from "./store.ts";
import { ChainCheck, checkedNow, isTorn, type Baseline, type Checked } from "./verify.ts";

export interface Opening {
  /** The record that the next one follows; seq 0 in an empty file. */
  readonly last: ChainEnd;
  /** Offset after the last whole line. */
  readonly end: number;
  /** A line that a crash cut off, behind `end`. */
  readonly torn: Uint8Array | undefined;
  /** The file is not what was anchored. */
  readonly broken: Checked | undefined;
}

export function openingOf(path: string, anchor: AnchorRow | null, baseline: Baseline | null): Opening {
  const followed = anchor && afterAnchor(path, anchor);
  if (followed) return followed;
  const terms = { anchor: anchor ?? undefined, baseline: baseline ?? undefined, mayEndTorn: true };
  const found = checkedNow(path, terms);
  // Without an anchor there is a server that never wrote one: its file may be empty.
  const isBroken = !found.ok && (anchor !== null || found.line !== null);
  const { end, torn } = endOf(path);
  return {
    last: isBroken ? lastRecord(path, end) : found.last,
    end,
    torn,
    broken: isBroken ? found : undefined,
  };
}

/** Undefined: the anchored record is not where it was, or what comes after it does not follow. */
function afterAnchor(path: string, { entries, hash, bytes }: AnchorRow): Opening | undefined {
  if (bytes === null || entries === 0) return undefined;
  const anchored = lastLine(path, bytes);
  const prev = anchored && parseRecord(anchored.bytes)?.prev;
  if (prev === undefined) return undefined;
  const { start } = anchored!;
  const before = { bytes: start, lines: entries - 1, sha256: "", seq: entries - 1, hash: prev };
  const chain = new ChainCheck({ anchor: { entries, hash }, baseline: before });
  let end = start;
  let torn: Uint8Array | undefined;
  for (const line of readLines(path, start)) {
    if (isTorn(line)) torn = line.bytes;
    else if (chain.next(line) !== undefined) return undefined;
    else if (end === start && line.end !== bytes) return undefined;
    else end = line.end;
  }
  return chain.last.seq < entries ? undefined : { last: chain.last, end, torn, broken: undefined };
}

function lastLine(path: string, end: number): Line | undefined {
  for (const line of readLinesBack(path, end)) return line;
  return undefined;
}

function endOf(path: string): Pick<Opening, "end" | "torn"> {
  let end = 0;
  let torn: Uint8Array | undefined;
  for (const line of readLines(path)) {
    if (line.whole) end = line.end;
    torn = line.whole ? undefined : line.bytes;
  }
  return { end, torn };
}

/**
 * Where the last line is none of ours, the chain goes on after the last one that is; verifying names the line. Of records without a hash
 * only their number counts, as in `ChainCheck`.
 */
function lastRecord(path: string, end: number): Opening["last"] {
  let seq = 0;
  for (const { bytes } of readLinesBack(path, end)) {
    const record = parseRecord(bytes);
    if (typeof record?.hash === "string") return { seq: record.seq, hash: record.hash };
    if (record) seq += 1;
  }
  return { seq, hash: CHAIN_START };
}
