// Goal: a page of a long record costs what the page is, wherever it lies; what someone wrote into the file does not keep the rest from being
// read.

import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { readLines, readLinesBack } from "../../../src/context/audit/audit-file.ts";
import { pageOf, statsOf } from "../../../src/context/audit/reading.ts";
import { hashOf, lineOf } from "../../../src/context/audit/record.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const RECORDS = 30_000;
const MIB = 1024 ** 2;

function line(seq: number, prev: string) {
  const actor = {
    name: `user ${seq % 7}`,
    role: "admin" as const,
    auth: "token" as const,
    address: "127.0.0.1",
  };
  const time = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
  const about = { space: "team", target: `notes/${seq}.md`, version: 1, content_hash: "0".repeat(64) };
  const came = { result: "ok" as const, error: null, request_id: `r-${seq}`, prev };
  const body = { seq, id: `e.${seq}`, time, actor, action: "file.write", ...about, ...came };
  const hash = hashOf(body);
  return { text: lineOf(body, hash), hash };
}

async function longRecord(count = RECORDS) {
  const folder = await temporaryFolder();
  const path = `${folder.path}/audit.jsonl`;
  let prev = "0".repeat(64);
  let text = "";
  for (let seq = 1; seq <= count; seq++) {
    const next = line(seq, prev);
    text += next.text;
    prev = next.hash;
  }
  writeFileSync(path, text);
  return { path, size: statSync(path).size, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** Bytes that this process read while it ran. */
async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  const count = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))![1]);
  const before = count();
  await work();
  return count() - before;
}

test.skipIf(process.platform !== "linux")("a page reads its end of the file only", async () => {
  await using record = await longRecord();
  const { path, size } = record;
  expect(size).toBeGreaterThan(10 * MIB);
  const pages: [string, { limit: number; before?: number }, number[]][] = [
    ["the newest", { limit: 1 }, [RECORDS]],
    ["in the middle", { limit: 3, before: 20_001 }, [20_000, 19_999, 19_998]],
    ["the oldest", { limit: 3, before: 3 }, [2, 1]],
    ["beyond the end", { limit: 1, before: 10 * RECORDS }, [RECORDS]],
  ];
  for (const [name, query, expected] of pages) {
    let seqs: number[] = [];
    const read = await bytesRead(
      async () => (seqs = (await pageOf(path, size, query)).map(({ seq }) => seq)),
    );
    expect([name, seqs, read < 5 * MIB]).toEqual([name, expected, true]);
  }
});

test("every page after page is every record, once", async () => {
  await using record = await longRecord(5_000);
  const seen: number[] = [];
  for (let before = 5_001; before > 1; before = seen.at(-1)!)
    seen.push(...(await pageOf(record.path, record.size, { limit: 499, before })).map(({ seq }) => seq));
  expect(seen).toEqual(Array.from({ length: 5_000 }, (_, index) => 5_000 - index));
});

test("lines from either end are the same, whatever is in the file", async () => {
  await using record = await longRecord(2_000);
  const { path } = record;
  for (const strange of [
    "",
    "\n",
    `${"x".repeat(300_000)}\n`,
    "null\n[1]\n{}\n",
    `${"y".repeat(70_000)}\n\n`,
  ])
    appendFileSync(path, strange);
  const { text } = line(2_001, "p");
  appendFileSync(path, text);
  const { size } = statSync(path);
  const short = (lines: Iterable<{ bytes: Uint8Array; whole: boolean; start: number; end: number }>) =>
    [...lines]
      .filter(({ bytes, whole }) => whole && bytes.length < 60_000)
      .map(({ start, end }) => `${start}-${end}`);
  const back = new Set(short(readLinesBack(path, size)));
  expect(short(readLines(path)).filter((range) => !back.has(range)).length).toBeLessThanOrEqual(1);
  const page = await pageOf(path, size, { limit: 3 });
  expect(page.map(({ seq }) => seq)).toEqual([2_001, 2_000, 1_999]);
  expect((await statsOf(path)).entries).toBe(2_001);
});
