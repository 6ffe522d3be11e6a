// Goal: a snapshot is whole or does not count, and what some node still needs is not removed, whoever removes.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { entryKey, manifestKey } from "../../../src/kit/replication/places.ts";
import {
  finishSnapshot,
  newestSnapshot,
  restoreFiles,
  uploadFiles,
  type Manifest,
} from "../../../src/kit/replication/snapshot.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { MemoryStorage } from "../../kit/memory-storage.ts";

const { signal } = new AbortController();

function log(storage: MemoryStorage, from: number, to: number): void {
  for (let seq = from; seq <= to; seq += 1) storage.objects.set(entryKey(seq), Buffer.from("entry"));
}

function entries(storage: MemoryStorage): number[] {
  return storage.keys("log/").map((key) => Number(key.slice("log/".length)));
}

async function uploaded(storage: MemoryStorage, after: number, text = "content"): Promise<Manifest["files"]> {
  return uploadFiles(storage, after, [{ file: "a/b.txt", content: [Buffer.from(text)] }], signal);
}

async function snapshot(storage: MemoryStorage, after: number, takeovers: number[]): Promise<void> {
  const files = await uploaded(storage, after, `content ${after}`);
  const facts = { after, hash: "", complete: after, created_at: "", takeovers, files };
  await finishSnapshot(storage, facts);
}

test("two snapshots stay, with the entries after the older one and all takeovers", async () => {
  const storage = new MemoryStorage();
  log(storage, 1, 20);
  for (const after of [5, 10, 15])
    await snapshot(
      storage,
      after,
      [1, 7, 12].filter((seq) => seq <= after),
    );
  expect(entries(storage)).toEqual([1, 7, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  expect(storage.keys("snapshots/").map((key) => key.replace(/^snapshots\/0*|-[0-9a-f]{16}/g, ""))).toEqual([
    "10/files/1.zst",
    "10/manifest.json",
    "15/files/1.zst",
    "15/manifest.json",
  ]);
  expect((await newestSnapshot(storage))?.after).toBe(15);
});

test("a node that was replaced before it finished its snapshot removes no takeover that it does not know", async () => {
  const storage = new MemoryStorage();
  log(storage, 1, 30);
  const files = await uploaded(storage, 5);
  for (const after of [20, 25]) await snapshot(storage, after, [1, 11]);
  await finishSnapshot(storage, { after: 5, hash: "", complete: 5, created_at: "", takeovers: [1], files });
  expect(entries(storage).slice(0, 3)).toEqual([1, 11, 21]);
  expect((await newestSnapshot(storage))?.after).toBe(25);
});

test("an upload that was interrupted is no snapshot, and goes with the next one", async () => {
  const storage = new MemoryStorage();
  log(storage, 1, 9);
  await snapshot(storage, 3, [1]);
  await uploaded(storage, 5);
  expect((await newestSnapshot(storage))?.after).toBe(3);
  await snapshot(storage, 7, [1]);
  expect(storage.keys("snapshots/0000000000000005")).toEqual([]);
  expect(entries(storage)).toEqual([1, 4, 5, 6, 7, 8, 9]);
});

test("an upload that is under way stays", async () => {
  const storage = new MemoryStorage();
  await snapshot(storage, 3, [1]);
  const files = await uploaded(storage, 9, "new");
  await snapshot(storage, 7, [1]);
  await finishSnapshot(storage, { after: 9, hash: "", complete: 9, created_at: "", takeovers: [1], files });
  await using folder = await temporaryFolder();
  await restoreFiles(storage, folder.path, (await newestSnapshot(storage))!, signal);
  expect(readFileSync(join(folder.path, "a/b.txt"), "utf8")).toBe("new");
});

test("a manifest that cannot be read says which one, and so does a damaged file", async () => {
  const storage = new MemoryStorage();
  await snapshot(storage, 3, [1]);
  const manifest = (await newestSnapshot(storage))!;
  const refusal = { code: "invalid", message: expect.stringContaining(manifestKey(3)) as unknown };
  const set = (text: string) => storage.objects.set(manifestKey(3), Buffer.from(text));
  for (const text of ["no JSON", JSON.stringify({ ...manifest, format: 2 })]) {
    set(text);
    await expect(newestSnapshot(storage)).rejects.toMatchObject(refusal);
  }
  for (const file of ["../a", "/a", "a/../../b", "a\\b", "", "a//b", "C:a", "a\0b"]) {
    set(JSON.stringify({ ...manifest, files: [{ ...manifest.files[0], file }] }));
    await expect(newestSnapshot(storage)).rejects.toMatchObject(refusal);
  }
  await using folder = await temporaryFolder();
  storage.objects.set(manifest.files[0]!.key, Bun.zstdCompressSync("other"));
  const restored = restoreFiles(storage, folder.path, manifest, signal);
  await expect(restored).rejects.toThrow("the snapshot of a/b.txt in the object storage is damaged");
});

test("another try with the same number does not change the files of the one before, whose manifest may still arrive", async () => {
  const storage = new MemoryStorage();
  await using folder = await temporaryFolder();
  const facts = { after: 3, hash: "", complete: 3, created_at: "", takeovers: [] };
  const files = await uploaded(storage, 3, "first");
  await uploaded(storage, 3, "second");
  await finishSnapshot(storage, { ...facts, files });
  await restoreFiles(storage, folder.path, (await newestSnapshot(storage))!, signal);
  expect(readFileSync(join(folder.path, "a/b.txt"), "utf8")).toBe("first");
});

test("an upload that fails leaves no files", async () => {
  const storage = new MemoryStorage();
  function* files() {
    yield { file: "a.txt", content: [Buffer.from("a")] };
    throw new Error("cannot read the next file");
  }
  await expect(uploadFiles(storage, 3, files(), signal)).rejects.toThrow("cannot read the next file");
  expect(storage.keys("")).toEqual([]);
});
