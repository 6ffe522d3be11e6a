// Checks an audit file by itself: every record closes over the one before, so that nothing can be edited, removed or moved unseen.

import { CHAIN_START } from "../../kit/crypto.ts";
import { readLines } from "./audit-file.ts";
import { hashOf } from "./chain.ts";
import type { AuditRecord, AuditVerification } from "./schema.ts";

/** Between two of them a caller may let others run: about 10 ms of work. */
const LINES_PER_STRETCH = 500;

/**
 * Recomputes the chain of a file. `anchor`: what the server had counted; a file that is longer is fine (the anchor is a little behind), one
 * that is shorter was cut off. Undefined: that check can't be made, and the answer says so.
 */
export function verifyAuditFile(path: string, anchor?: Anchor): AuditVerification {
  const checking = checkAuditFile(path, anchor);
  for (;;) {
    const { done, value } = checking.next();
    if (done) return value;
  }
}

export interface Anchor {
  readonly entries: number;
  readonly hash: string;
}

/** The same with pauses. What is appended meanwhile is checked as well. */
export function* checkAuditFile(path: string, anchor?: Anchor): Generator<undefined, AuditVerification> {
  let entries = 0;
  let skipped = 0;
  let line = 0;
  let prev = CHAIN_START;
  let anchorFound = anchor === undefined || anchor.entries === 0;
  const broken = (problem: string): AuditVerification => ({
    ok: false,
    entries,
    skipped,
    line,
    problem,
    anchored: anchor !== undefined,
  });
  for (const { text, whole } of readLines(path)) {
    line += 1;
    if (line % LINES_PER_STRETCH === 0) yield;
    if (!whole) return broken("the line is cut off");
    const record = parseRecord(text);
    if (!record) return broken("the line is no audit record");
    const { hash, ...body } = record;
    if (hash === undefined && entries === 0) {
      skipped += 1;
      continue;
    }
    if (body.seq !== entries + skipped + 1)
      return broken(
        `expected record ${entries + skipped + 1}, found ${body.seq}: a line was removed or moved`,
      );
    if (body.prev !== prev)
      return broken("it does not follow from the line before: a line was removed, moved or edited");
    if (hashOf(body) !== hash) return broken("the line was edited");
    prev = hash;
    entries += 1;
    if (anchor?.entries === body.seq) anchorFound = anchor.hash === hash;
  }
  if (!anchorFound) {
    line += 1;
    return broken(`the file ends after ${entries + skipped} records, but ${anchor!.entries} were written`);
  }
  return { ok: true, entries, skipped, line: null, problem: null, anchored: anchor !== undefined };
}

/** Undefined when the line is no record. */
export function parseRecord(text: string): AuditRecord | undefined {
  try {
    const value = JSON.parse(text) as AuditRecord;
    return typeof value === "object" && value !== null && Number.isInteger(value.seq) ? value : undefined;
  } catch {
    return undefined;
  }
}
