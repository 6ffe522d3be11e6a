// Goal: verification reports each way in which a file can differ from what was written, at its exact limits: the acknowledged beginning, torn and
// overlong ends, and records of the time before the chain.

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { LINE_BYTES_MAX } from "../../../src/context/audit/audit-file.ts";
import { hashOf, lineOf } from "../../../src/context/audit/record.ts";
import { checkedNow, type Terms } from "../../../src/context/audit/verify.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { CHAIN_START } from "../../../src/kit/secrets/hash-chain.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const ACTOR = { name: "ada", role: "admin", auth: "token", address: "127.0.0.1" } as const;
const ABOUT = {
  space: "team",
  target: "a.md",
  version: 1,
  content_hash: null,
  result: "ok",
  error: null,
} as const;

/** Records that follow each other, the first one after `end`. */
function chain(count: number, end = { seq: 0, hash: CHAIN_START }) {
  const written: { line: string; hash: string }[] = [];
  for (let prev = end.hash, seq = end.seq + 1; written.length < count; seq += 1) {
    const begin = { seq, id: `${seq}`, time: "2026-01-01T00:00:00.000Z", actor: ACTOR, action: "file.write" };
    const body = { ...begin, ...ABOUT, request_id: "r", prev };
    prev = hashOf(body);
    written.push({ line: lineOf(body, prev), hash: prev });
  }
  return written;
}

const OLD = (seq: number) => {
  const { hash: _hash, prev: _prev, ...rest } = JSON.parse(chain(1)[0]!.line) as Record<string, unknown>;
  return `${JSON.stringify({ ...rest, seq })}\n`;
};

const [ONE, TWO, THREE] = chain(3) as [Link, Link, Link];
type Link = ReturnType<typeof chain>[number];
const ACKNOWLEDGED = {
  bytes: ONE.line.length + TWO.line.length,
  lines: 2,
  sha256: sha256Hex(ONE.line + TWO.line),
  seq: 2,
  hash: TWO.hash,
};
const OTHER = "f".repeat(64);
const FORGED =
  "it is not the record that the server wrote there: the file was replaced, or rewritten up to here";

const NOTHING_VERIFIED = "nothing could be verified: no record with a hash";
const broken = (line: number | null, problem: string, more: object = {}) => ({
  ok: false,
  line,
  problem,
  ...more,
});
const anchoredAt = (entries: number, hash: string): Terms => ({ anchor: { entries, hash } });
const AFTER_BASELINE: Terms = { baseline: ACKNOWLEDGED };

describe("verification", () => {
  test.each<[what: string, file: string, terms: Terms, found: object]>([
    [
      "a chain that ends at the anchor",
      ONE.line + TWO.line,
      anchoredAt(2, TWO.hash),
      { ok: true, entries: 2, line: null, anchored: true },
    ],
    [
      "a record with another hash than the anchor",
      ONE.line + TWO.line,
      anchoredAt(2, OTHER),
      broken(2, FORGED),
    ],
    [
      "an end before the anchor",
      ONE.line,
      anchoredAt(2, TWO.hash),
      broken(2, "the file ends after 1 record, but 2 were written"),
    ],
    ["no record, and no anchor to compare with", "", {}, broken(null, NOTHING_VERIFIED)],
    ["no record, and an anchor that says so", "", anchoredAt(0, CHAIN_START), { ok: true, entries: 0 }],
    [
      "a chain after an acknowledged beginning",
      ONE.line + TWO.line + THREE.line,
      AFTER_BASELINE,
      { ok: true, entries: 1, acknowledged: 2, last: { seq: 3, hash: THREE.hash } },
    ],
    [
      "an acknowledged beginning that changed",
      ONE.line + TWO.line.replace("a.md", "b.md") + THREE.line,
      AFTER_BASELINE,
      broken(2, "lines 1 to 2 were acknowledged and have changed since"),
    ],
    [
      "an acknowledged beginning that was replaced by shorter lines",
      `${"\n".repeat(ACKNOWLEDGED.bytes)}${THREE.line}`,
      AFTER_BASELINE,
      { ok: false, problem: `lines 1 to ${ACKNOWLEDGED.bytes} were acknowledged and have changed since` },
    ],
    [
      "a record without a hash after an acknowledged beginning",
      ONE.line + TWO.line + OLD(3),
      AFTER_BASELINE,
      { ok: false, line: 3, skipped: 0 },
    ],
    [
      "records of the time before the chain, then the chain",
      OLD(1) + OLD(2) + chain(1, { seq: 2, hash: CHAIN_START })[0]!.line,
      {},
      { ok: true, entries: 1, skipped: 2, last: { seq: 3 } },
    ],
    [
      "a record without a hash where the server wrote one with a hash",
      OLD(1) + OLD(2),
      anchoredAt(2, TWO.hash),
      broken(2, FORGED, { skipped: 1 }),
    ],
    [
      "records of the time before the chain that the server knows",
      OLD(1) + OLD(2),
      anchoredAt(2, CHAIN_START),
      { ok: true, entries: 0, skipped: 2 },
    ],
    [
      "records of the time before the chain, and nothing else",
      OLD(1) + OLD(2),
      {},
      broken(null, NOTHING_VERIFIED, { entries: 0, skipped: 2 }),
    ],
    [
      "a record without a hash after one with a hash",
      ONE.line + OLD(2),
      {},
      { ok: false, line: 2, entries: 1, skipped: 0 },
    ],
    [
      "a missing line",
      ONE.line + THREE.line,
      {},
      broken(2, "expected record 2, found 3: a line was removed or moved"),
    ],
    [
      "the same content in other words",
      ONE.line.replace('"seq":1', '"seq": 1'),
      {},
      broken(1, "the line was edited: same content, but not in the server's format"),
    ],
    [
      "a torn end, while no server has the file open",
      ONE.line + "x".repeat(LINE_BYTES_MAX),
      { mayEndTorn: true },
      { ok: true, entries: 1 },
    ],
    [
      "a torn end, while a server has the file open",
      ONE.line + "x".repeat(LINE_BYTES_MAX),
      {},
      broken(2, "the line is incomplete"),
    ],
    [
      "an end that is longer than a record can be",
      ONE.line + "x".repeat(LINE_BYTES_MAX + 1),
      { mayEndTorn: true },
      broken(2, "the line is longer than a record can be"),
    ],
  ])("%s", async (_, file, terms, found) => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/audit.jsonl`;
    writeFileSync(path, file);
    expect(checkedNow(path, terms)).toMatchObject(found);
  });
});
