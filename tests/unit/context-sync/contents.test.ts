// Goal: contents arrive as they were sent, wherever the pieces end; damaged, incomplete or oversized contents are refused.

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { contentsStream, readContents, type StoredFile } from "../../../src/context/sync/contents.ts";
import { encode } from "../../../src/context/versioned-store/coding.ts";

const MIB = 1024 * 1024;

const fileOf = (path: string, bytes: Uint8Array, version = 1): StoredFile => ({
  path,
  version,
  size: bytes.length,
  stored: async () => encode(bytes),
});

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function sent(files: readonly StoredFile[], failed: unknown[] = []): Promise<Buffer> {
  const pieces = await Array.fromAsync(contentsStream(files, (error) => failed.push(error)));
  return Buffer.concat(pieces);
}

const arrived = (bytes: Uint8Array, size = 1024, bytesMax = MIB) =>
  Array.fromAsync(readContents(inPieces(bytes, size), bytesMax));

const refusal = (bytes: Uint8Array, bytesMax?: number) =>
  arrived(bytes, 1024, bytesMax).then(
    () => "not refused",
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

const lines = (...parts: (object | string)[]) =>
  Buffer.from(parts.map((part) => (typeof part === "string" ? part : `${JSON.stringify(part)}\n`)).join(""));

const DAMAGED = "invalid: the contents are damaged";
const INCOMPLETE = "invalid: the contents are incomplete";
const line = { path: "a", version: 1, size: 3, coding: "raw", length: 3 };
const end = { end: true };

test("any files arrive as they were sent, in pieces of any size", async () => {
  const file = fc.record({
    path: fc.string({ minLength: 1, unit: "binary" }),
    version: fc.integer({ min: 1, max: 1_000 }),
    // With runs, so that some contents are compressed.
    bytes: fc
      .tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 50 }))
      .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part))),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file), fc.integer({ min: 1, max: 5_000 }), async (files, size) => {
      const bytes = await sent(
        files.map(({ path, bytes: content, version }) => fileOf(path, content, version)),
      );
      const got = await arrived(bytes, size);
      expect(got.map(({ path, version }) => [path, version])).toEqual(
        files.map(({ path, version }) => [path, version]),
      );
      for (const [index, one] of got.entries()) {
        expect(Buffer.compare(one.bytes, files[index]!.bytes)).toBe(0);
        // Stored as it arrived, without encoding it again.
        expect(one.coded).toEqual(await encode(one.bytes));
      }
    }),
    { numRuns: 200 },
  );
});

test("many contents arrive in their order, and those before a damaged one arrive", async () => {
  const files = Array.from({ length: 200 }, (_, index) =>
    // Decoded in a thread, and so large that some are done before earlier ones.
    fileOf(`${index}`, Buffer.from(`${index} `.repeat(index % 7 === 0 ? 20_000 : 200))),
  );
  const bytes = await sent(files);
  const got = await arrived(bytes, 4_096, 16 * MIB);
  expect(
    got.map(({ path, bytes: content }) => [path, Buffer.from(content.subarray(0, 4)).toString()]),
  ).toEqual(files.map(({ path }) => [path, `${path} ${path} ${path} `.slice(0, 4)]));
  const bad = lines({ path: "bad", version: 1, size: 300, coding: "zstd", length: 3 }, "abc", end);
  const damaged = Buffer.concat([bytes.subarray(0, -lines(end).length), bad]);
  const names: string[] = [];
  const read = async () => {
    for await (const { path } of readContents(inPieces(damaged, 4_096), 16 * MIB)) names.push(path);
  };
  expect(await read().catch((error: Error) => error.message)).toBe("the contents are damaged");
  expect(names).toEqual(files.map(({ path }) => path));
});

test("a large content arrives whole", async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index) % 251));
  const [got] = await arrived(await sent([fileOf("large", bytes)]), 64 * 1024);
  expect(Buffer.compare(got!.bytes, bytes)).toBe(0);
});

test.each([
  ["damaged contents", lines("no JSON\n")],
  ["contents that a reader leaves", lines(line, "abc", line, "abc")],
])("the sender of %s learns that nobody reads them", async (_, bytes) => {
  let isTold = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(bytes),
    cancel: () => void (isTold = true),
  });
  const read = async () => {
    for await (const { version } of readContents(endless, MIB)) if (version === 1) return;
  };
  await read().catch(() => {});
  expect(isTold).toBe(true);
});

describe("are refused:", () => {
  test.each([
    ["contents without an end", lines(line, "abc"), INCOMPLETE],
    ["a content that is cut off", lines({ ...line, length: 4 }, "abc"), INCOMPLETE],
    ["nothing", lines(), INCOMPLETE],
    ["a line that is no JSON", lines("{path\n"), DAMAGED],
    ["a line that lacks a field", lines({ ...line, version: undefined }, "abc", end), DAMAGED],
    ["a line with another field", lines({ ...line, more: 1 }, "abc", end), DAMAGED],
    ["an unknown coding", lines({ ...line, coding: "brotli" }, "abc", end), DAMAGED],
    ["a negative length", lines({ ...line, length: -1 }, end), DAMAGED],
    ["a line without an end", lines("x".repeat(MIB)), DAMAGED],
    ["a content of another size", lines({ ...line, size: 4 }, "abc", end), DAMAGED],
    ["a content that is not compressed as it says", lines({ ...line, coding: "zstd" }, "abc", end), DAMAGED],
  ])("%s", async (_, bytes, said) => {
    expect(await refusal(bytes)).toBe(said);
  });

  test("a content that unpacks to more than it says, before it is unpacked", async () => {
    const packed = Bun.zstdCompressSync(Buffer.alloc(64 * MIB));
    const small = { ...line, coding: "zstd", size: 100, length: packed.length };
    expect(await refusal(Buffer.concat([lines(small), packed, lines(end)]))).toBe(DAMAGED);
  });

  test("more bytes than the reader takes, whatever they claim to be", async () => {
    const tooMany = `invalid: more than ${MIB} bytes`;
    const half = lines({ ...line, size: MIB / 2 + 1, length: MIB / 2 + 1 }, "x".repeat(MIB / 2 + 1));
    expect(await refusal(Buffer.concat([half, half, lines(end)]), MIB)).toBe(tooMany);
    expect(await refusal(lines({ ...line, size: 1, length: 2 * MIB }), MIB)).toBe(tooMany);
  });
});

test("a content that is larger compressed is stored as it is", async () => {
  const packed = Bun.zstdCompressSync(Buffer.from("abc"));
  const bytes = Buffer.concat([
    lines({ ...line, coding: "zstd", length: packed.length }),
    packed,
    lines(end),
  ]);
  const [got] = await arrived(bytes);
  expect(got!.coded).toEqual({ coding: "raw", content: got!.bytes });
});

test("a read that fails aborts the stream and is reported once; a reader that leaves is no failure", async () => {
  const gone = new Error("gone");
  const failing: StoredFile = { path: "b", version: 1, size: 1, stored: () => Promise.reject(gone) };
  const failed: unknown[] = [];
  await expect(sent([fileOf("a", Buffer.from("a")), failing], failed)).rejects.toThrow("gone");
  expect(failed).toEqual([gone]);
  const many = Array.from({ length: 100 }, (_, index) => fileOf(`${index}`, Buffer.alloc(10_000, index)));
  const reader = contentsStream(many, (error) => failed.push(error)).getReader();
  await reader.read();
  await reader.cancel();
  expect(failed).toEqual([gone]);
});
