// Verifies an audit file: every record contains the hash of the previous one, and every line is exactly what the server writes, so no edit,
// removal or reordering goes undetected. Only reads.

import { LIGHT_STEPS, Stretch } from "../../kit/clock.ts";
import { plural } from "../../kit/text/amounts.ts";
import { CHAIN_START, chainFault, EMPTY_CHAIN, type ChainEnd } from "../../kit/secrets/hash-chain.ts";
import { LINE_BYTES_MAX, readLines, type Line } from "./audit-file.ts";
import { canonicalOf, isAsWritten, parseRecord } from "./record.ts";
import type { AuditVerification } from "./schema.ts";

/** The number of records that the server has written, and the hash of the last one. */
export interface Anchor {
  readonly entries: number;
  readonly hash: string;
  /** 1: the server stopped after it, so that nothing may follow. */
  readonly closed?: 0 | 1;
}

/** The beginning of the file, as acknowledged by an admin. */
export interface Baseline {
  readonly bytes: number;
  readonly lines: number;
  readonly sha256: string;
  readonly seq: number;
  readonly hash: string;
}

export interface Terms {
  /** The file may be longer, because the anchor lags a little. Undefined: the end is not checked, and the result says so. */
  readonly anchor?: Anchor | undefined;
  readonly baseline?: Baseline | undefined;
  /** No server has the file open, so a crash may have torn its last line. */
  readonly mayEndTorn?: boolean;
}

export interface Checked extends Omit<AuditVerification, "breaks"> {
  /** The last intact record; seq 0 before the first. */
  readonly last: ChainEnd;
}

/** Verifies without pauses, for a program that does nothing else. */
export function verifyAuditFile(path: string, anchor?: Anchor): AuditVerification {
  const { last: _last, ...found } = checkedNow(path, { anchor });
  return { ...found, breaks: [] };
}

export function checkedNow(path: string, terms: Terms): Checked {
  const checking = checkAuditFile(path, terms);
  for (;;) {
    const { done, value } = checking.next();
    if (done) return value;
  }
}

/** Yields every few milliseconds, so that the caller can pause. Also verifies lines appended meanwhile. */
export function* checkAuditFile(path: string, terms: Terms): Generator<undefined, Checked> {
  const { anchor, baseline } = terms;
  const stretch = new Stretch(LIGHT_STEPS);
  const chain = new ChainCheck(terms);
  if (baseline) {
    const hasher = new Bun.CryptoHasher("sha256");
    let lines = 0;
    for (const { bytes, end, whole } of readLines(path)) {
      if (end > baseline.bytes) break;
      hasher.update(bytes);
      if (whole) hasher.update("\n");
      lines += whole ? 1 : 0;
      if (stretch.isOver()) yield;
    }
    if (hasher.digest("hex") !== baseline.sha256)
      return chain.broken(
        `lines 1 to ${Math.max(lines, baseline.lines)} were acknowledged and have changed since`,
      );
  }
  for (const line of readLines(path, baseline?.bytes)) {
    if (stretch.isOver()) yield;
    const problem = chain.next(line);
    const addition = chain.addition(line);
    if (addition !== undefined) return chain.broken(addition);
    if (terms.mayEndTorn && isTorn(line)) break;
    if (problem !== undefined) return chain.broken(problem);
  }
  if (anchor && chain.last.seq < anchor.entries) return chain.cutOff(anchor.entries);
  return chain.holds();
}

/** Reports whether the line is the remainder of a write that a crash interrupted. */
export function isTorn({ whole, bytes }: Line): boolean {
  return !whole && bytes.length <= LINE_BYTES_MAX;
}

const FORGED =
  "it is not the record that the server wrote there: the file was replaced, or rewritten up to here";

const ADDED = "it was added while the server was stopped";

/** Verifies the chain line by line. */
export class ChainCheck {
  readonly #anchor: Anchor | undefined;
  readonly #acknowledged: number;
  #line: number;
  #entries = 0;
  #skipped = 0;
  #last: ChainEnd;

  constructor({ anchor, baseline }: Terms) {
    this.#anchor = anchor;
    this.#acknowledged = baseline?.lines ?? 0;
    this.#line = this.#acknowledged;
    this.#last = baseline ? { seq: baseline.seq, hash: baseline.hash } : EMPTY_CHAIN;
  }

  get last(): ChainEnd {
    return this.#last;
  }

  /** Returns the problem with the line; undefined if there is none. */
  next({ bytes, whole }: Line): string | undefined {
    this.#line += 1;
    if (!whole)
      return bytes.length > LINE_BYTES_MAX
        ? "the line is longer than a record can be"
        : "the line is incomplete";
    const record = parseRecord(bytes);
    if (!record) return "the line is not an audit record";
    const { hash, ...body } = record;
    const { seq } = this.#last;
    if (hash === undefined && this.#entries === 0 && this.#acknowledged === 0) {
      // Only the anchor distinguishes an old record from one whose hash was removed.
      if (this.#isForged(seq + 1, CHAIN_START)) return FORGED;
      this.#skipped += 1;
      this.#last = { seq: seq + 1, hash: CHAIN_START };
      return undefined;
    }
    const fault = chainFault(this.#last, record, () => canonicalOf(body));
    if (fault === "seq") return `expected record ${seq + 1}, found ${body.seq}: a line was removed or moved`;
    if (fault === "prev")
      return "it does not follow from the line before: a line was removed, moved or edited";
    if (fault === "hash") return "the line was edited";
    if (!isAsWritten(bytes)) return "the line was edited: same content, but not in the server's format";
    if (this.#isForged(body.seq, hash)) return FORGED;
    this.#last = { seq: body.seq, hash };
    this.#entries += 1;
    return undefined;
  }

  /** Returns the problem with a line, passed to `next` before, that follows the end of a stopped server. */
  addition(line: Line): string | undefined {
    const { closed, entries } = this.#anchor ?? {};
    if (closed !== 1) return undefined;
    return this.#last.seq > entries! || (this.#last.seq === entries && isTorn(line)) ? ADDED : undefined;
  }

  #isForged(seq: number, hash: string): boolean {
    return this.#anchor?.entries === seq && this.#anchor.hash !== hash;
  }

  holds(): Checked {
    // Without the server's count, an empty file proves nothing.
    const isProof = this.#anchor !== undefined || this.#entries > 0;
    return this.#checked({
      ok: isProof,
      line: null,
      problem: isProof ? null : "nothing could be verified: no record with a hash",
    });
  }

  broken(problem: string): Checked {
    return this.#checked({ ok: false, line: Math.max(1, this.#line), problem });
  }

  cutOff(written: number): Checked {
    const problem = `the file ends after ${plural(this.#last.seq, "record")}, but ${plural(written, "was", "were")} written`;
    return this.#checked({ ok: false, line: this.#line + 1, problem });
  }

  #checked({ ok, line, problem }: Pick<Checked, "ok" | "line" | "problem">): Checked {
    return {
      ok,
      entries: this.#entries,
      skipped: this.#skipped,
      acknowledged: this.#acknowledged,
      line,
      problem,
      anchored: this.#anchor !== undefined,
      last: this.#last,
    };
  }
}
