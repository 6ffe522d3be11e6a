// Goal: what was written to a spool is read back, from memory and from a file, and nothing of it is left in the directory.

import { readdirSync } from "node:fs";
import { expect, test } from "bun:test";
import { SpoolDirectory } from "../../../src/kit/disk/spool.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const MIB = 1024 * 1024;

test("any part is read back, in a buffer of its own", async () => {
  await using folder = await temporaryFolder();
  const spools = new SpoolDirectory(`${folder.path}/incoming`);
  const all = Buffer.alloc(3 * MIB, "a text that repeats after a number of bytes that is no power of two");
  for (const size of [0, 100, 300_000, all.length]) {
    await using spool = spools.open();
    for (let at = 0; at < size; at += 70_000)
      await spool.write(all.subarray(at, Math.min(size, at + 70_000)));
    expect([spool.size, spool.isInMemory]).toEqual([size, size <= 256 * 1024]);
    for (const at of [0, 10, 99_990, MIB - 5, 2 * MIB])
      for (const length of [0, 1, 20, 2 * MIB]) {
        if (at + length > size) continue;
        const bytes = await spool.read(at, length);
        expect(bytes.buffer.byteLength).toBe(length);
        expect(Buffer.compare(bytes, all.subarray(at, at + length))).toBe(0);
      }
  }
  expect(readdirSync(`${folder.path}/incoming`)).toEqual([]);
});

test("a file that a crash left is removed when the directory is opened", async () => {
  await using folder = await temporaryFolder();
  await folder.write("incoming/0123", "left");
  const opened = new SpoolDirectory(`${folder.path}/incoming`);
  expect(readdirSync(folder.path)).toEqual([]);
  await using spool = opened.open();
  await spool.write(Buffer.alloc(MIB));
  expect((await spool.read(0, 1))[0]).toBe(0);
});
