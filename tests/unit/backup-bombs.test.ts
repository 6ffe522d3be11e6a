// Goal: nothing that was made to be small and unpack to much fills a disk or the memory: it is refused before it is written.

import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { writeArchive } from "../../src/kit/backup/archive.ts";
import { unpack } from "../../src/context/backup/unpack.ts";
import { decode } from "../../src/context/versioned-store/coding.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";

const MIB = 1024 * 1024;
const never = new AbortController().signal;

/** An archive with one file of zeros, and what becomes of it. */
async function unpacked(folder: Folder, mebibytes: number, { padded }: { padded: boolean }) {
  const path = join(folder.path, "bomb.tar.zst");
  const target = join(folder.path, "unpacked");
  await mkdir(target);
  const handle = await open(path, "wx");
  function* zeros() {
    for (let count = 0; count < mebibytes; count += 1) yield new Uint8Array(MIB);
  }
  async function* sources() {
    yield { name: "server.db", size: mebibytes * MIB, content: zeros() };
    yield { name: "manifest.json", size: 2, content: [Buffer.from("{}")] };
  }
  await writeArchive(handle, sources(), 0, never);
  if (!padded) await handle.truncate(40_000);
  await handle.close();
  let written = 0;
  const why = await unpack(path, target, never, (count) => (written += count)).then(
    () => "not refused",
    (error: Error) => error.message.replace(`${path}: `, ""),
  );
  expect(existsSync(join(target, "server.db"))).toBe(false);
  return { written, why };
}

describe("a backup", () => {
  test("that unpacks to far more than its size is refused at the head of the file", async () => {
    await using folder = await temporaryFolder();
    const { written, why } = await unpacked(folder, 300, { padded: false });
    expect([written, why]).toEqual([
      0,
      `"server.db": unpacks to more than ${256 * MIB} bytes (at its beginning)`,
    ]);
  });

  test("that does not fit its manifest is refused before anything is written", async () => {
    await using folder = await temporaryFolder();
    const { written, why } = await unpacked(folder, 20, { padded: true });
    expect([written, why]).toEqual([0, "manifest.json: format: missing (in manifest.json)"]);
  });

  test("that we write can be read, however empty its database is", async () => {
    await using folder = await temporaryFolder();
    const { written, why } = await unpacked(folder, 300, { padded: true });
    expect([written, why]).toEqual([0, "manifest.json: format: missing (in manifest.json)"]);
  });
});

describe("a stored content", () => {
  test("never becomes larger than it is said to be", () => {
    const bytes = new Uint8Array(64 * MIB);
    const content = Bun.zstdCompressSync(bytes);
    expect(content.length).toBeLessThan(8_000);
    expect(() => decode({ coding: "zstd", content, size: 1_000 })).toThrow("larger than 1000 bytes");
    expect(decode({ coding: "zstd", content, size: bytes.length }).length).toBe(bytes.length);
    const two = Buffer.concat([content, content]);
    expect(() => decode({ coding: "zstd", content: two, size: bytes.length })).toThrow("larger than");
  });
});
