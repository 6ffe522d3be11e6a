// Examines the audit file when a server opens it: finds the end of the chain and compares the file with its anchor. A crash can leave a file
// longer than its anchor, but never a shorter or different one. Reads only the records since the anchor, unless those do not follow from it.

import { CHAIN_START, type ChainEnd } from "../../kit/secrets/hash-chain.ts";
import { readLines, readLinesBack, type Line } from "./audit-file.ts";
import { parseRecord } from "./record.ts";
import type { AnchorRow } from "./store.ts";
import { ChainCheck, checkedNow, isTorn, type Baseline, type Checked } from "./verify.ts";

interface Opening {
  /** The last record of the chain; seq 0 in an empty file. */
  readonly last: ChainEnd;
  /** The offset after the last whole line. */
  readonly end: number;
  /** A torn line after `end`, left by a crash. */
  readonly torn: Uint8Array | undefined;
  /** Set if the file does not match its anchor. */
  readonly broken: Checked | undefined;
}

export function openingOf(path: string, anchor: AnchorRow | null, baseline: Baseline | null): Opening {
  const followed = anchor && afterAnchor(path, anchor);
  if (followed) return followed;
  const terms = { anchor: anchor ?? undefined, baseline: baseline ?? undefined, mayEndTorn: true };
  const found = checkedNow(path, terms);
  // A server without an anchor has never written one, so its file may be empty.
  const isBroken = !found.ok && (anchor !== null || found.line !== null);
  const { end, torn } = endOf(path);
  return {
    last: isBroken ? lastRecord(path, end) : found.last,
    end,
    torn,
    broken: isBroken ? found : undefined,
  };
}

/** Undefined: the anchored record is not in its place, or the records after it do not follow. */
function afterAnchor(path: string, { entries, hash, bytes, closed }: AnchorRow): Opening | undefined {
  if (bytes === null || entries === 0) return undefined;
  const anchored = lastLine(path, bytes);
  const prev = anchored && parseRecord(anchored.bytes)?.prev;
  if (prev === undefined) return undefined;
  const { start } = anchored!;
  const before = { bytes: start, lines: entries - 1, sha256: "", seq: entries - 1, hash: prev };
  const chain = new ChainCheck({ anchor: { entries, hash, closed }, baseline: before });
  let end = start;
  let torn: Uint8Array | undefined;
  let broken: Checked | undefined;
  for (const line of readLines(path, start)) {
    const problem = chain.next(line);
    if (isTorn(line)) torn = line.bytes;
    else if (problem !== undefined || (end === start && line.end !== bytes)) return undefined;
    else end = line.end;
    const addition = chain.addition(line);
    if (addition !== undefined) broken ??= chain.broken(addition);
  }
  return chain.last.seq < entries ? undefined : { last: chain.last, end, torn, broken };
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
 * Returns the last line that is an audit record; the chain continues after it, and verification reports the lines that are not. Records without
 * a hash are only counted, as in `ChainCheck`.
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
