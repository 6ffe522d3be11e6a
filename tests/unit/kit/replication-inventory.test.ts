// Goal: a leader finds each object that its log lacks, restores what only it knows, and adds nothing to the log of others.

import { expect, test } from "bun:test";
import { entryHash } from "../../../src/kit/replication/entry.ts";
import { lackIn, restoreMarks } from "../../../src/kit/replication/log-inventory.ts";
import { CLUSTER, entryKey, manifestKey, SNAPSHOTS } from "../../../src/kit/replication/places.ts";
import { finishSnapshot, uploadFiles } from "../../../src/kit/replication/snapshot.ts";
import { MemoryStorage } from "../../kit/memory-storage.ts";

const TAKEOVER = Buffer.from("the entry by which it took over");
const MARKS = { cluster: "ours", takeover: { seq: 2, bytes: TAKEOVER } };
const LAST = 5;

/** With entries 1 to `LAST`, and a snapshot after entry 3. */
async function whole(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  await restoreMarks(storage, MARKS);
  for (const seq of [1, 3, 4, LAST]) await storage.create(entryKey(seq), Buffer.from(`entry ${seq}`));
  const { signal } = new AbortController();
  const files = await uploadFiles(storage, 3, [{ file: "x.db", content: [Buffer.from("x")] }], signal);
  const hash = await entryHash(Buffer.from("entry 3"));
  await finishSnapshot(storage, { after: 3, hash, complete: 3, created_at: "", takeovers: [2], files });
  return storage;
}

test("a log that nobody touched lacks nothing", async () => {
  expect(await lackIn(await whole(), MARKS, LAST)).toBeUndefined();
});

test.each([
  ["its identity", CLUSTER],
  ["the takeover", entryKey(2)],
  ["an entry after the snapshot", entryKey(4)],
  ["the last entry", entryKey(LAST)],
])("a log without %s lacks it", async (_, key) => {
  const storage = await whole();
  storage.objects.delete(key);
  expect(await lackIn(storage, MARKS, LAST)).toBe(key);
});

test("a snapshot without one of its files, or with a damaged manifest, is a lack", async () => {
  const storage = await whole();
  await storage.put(manifestKey(3), Buffer.from("{"));
  expect(await lackIn(storage, MARKS, LAST)).toBe(SNAPSHOTS);
  const other = await whole();
  const file = other.keys(SNAPSHOTS).find((key) => key.endsWith(".zst"))!;
  other.objects.delete(file);
  expect(await lackIn(other, MARKS, LAST)).toBe(file);
});

test("the marks are restored in an empty bucket, and never added to another log", async () => {
  const storage = new MemoryStorage();
  expect(await restoreMarks(storage, MARKS)).toBe(true);
  expect(await restoreMarks(storage, MARKS)).toBe(true);
  expect(storage.keys("")).toEqual([CLUSTER, entryKey(2)]);
  const other = new MemoryStorage();
  await other.create(CLUSTER, Buffer.from("theirs"));
  expect(await restoreMarks(other, MARKS)).toBe(false);
  expect(other.keys("")).toEqual([CLUSTER]);
});
