// Goal: an archive says the same after it was read as before it was written, other tars read it, and one that was made to harm is refused.

import { describe, expect, test } from "bun:test";
import { pack, type Header } from "tar-stream";
import { readTar, tarOf, type Entry, type Source } from "../../../src/kit/disk/tar.ts";
import { within } from "../../kit/within.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const BLOCK_BYTES = 512;
const NAMES = [
  "server.yaml",
  "x".repeat(100),
  "x".repeat(101),
  `${"d/".repeat(300)}é`,
  "ü",
  "日本/語.md",
  "y".repeat(1_000),
];

const sourceOf = (name: string, text = "abc"): Source => ({
  name,
  size: Buffer.byteLength(text),
  content: [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))],
});

async function archived(sources: Iterable<Source>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(tarOf(sources, 1_700_000_000)));
}

/** An archive as the library makes it, which holds whatever it is told. */
async function foreign(header: Partial<Header> & { name: string }): Promise<Buffer> {
  const archive = pack();
  archive.entry(header, "");
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Uint8Array>));
}

async function* inPieces(bytes: Uint8Array, pieceBytes = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function read(bytes: AsyncIterable<Uint8Array>, bytesMax = GIB): Promise<[string, string][]> {
  const files: [string, string][] = [];
  await readTar(bytes, bytesMax, async ({ name, size, content }) => {
    const text = Buffer.concat(await Array.fromAsync(content));
    expect(text.length).toBe(size);
    files.push([name, text.toString()]);
  });
  return files;
}

describe("a written archive", () => {
  test("is read again, whatever the names and the pieces", async () => {
    const bytes = await archived([...NAMES.map((name) => sourceOf(name)), sourceOf("empty", "")]);
    for (const pieceBytes of [1, 100, 512, bytes.length])
      expect(await read(inPieces(bytes, pieceBytes))).toEqual([
        ...NAMES.map((name): [string, string] => [name, "abc"]),
        ["empty", ""],
      ]);
  });

  test("is read by another tar", async () => {
    const files = await new Bun.Archive(await archived(NAMES.map((name) => sourceOf(name)))).files();
    expect([...files.keys()]).toEqual(NAMES);
    for (const file of files.values()) expect(await file.text()).toBe("abc");
  });

  test("has its size, also beyond 8 GiB", async () => {
    for (const size of [8 * GIB - 1, 8 * GIB, 900 * GIB + 7]) {
      const [header] = await Array.fromAsync(firstOf(tarOf([{ name: "a", size, content: endless() }], 0)));
      const found: Entry[] = [];
      const reading = readTar(inPieces(header!), 1_000 * GIB, async (file) => {
        found.push({ name: file.name, size: file.size });
      });
      await expect(reading).rejects.toMatchObject({ code: "invalid" });
      expect(found).toEqual([{ name: "a", size }]);
    }
  });
});

describe("writing", () => {
  test("ends for a content that is not as long as it said", async () => {
    await expect(archived([{ ...sourceOf("a"), size: 4 }])).rejects.toThrow("Size mismatch");
  });

  test("ends with the error of a source or of its content", async () => {
    const failing = async function* () {
      yield Buffer.from("a");
      throw new Error("the disk is gone");
    };
    await expect(archived([{ name: "a", size: 3, content: failing() }])).rejects.toThrow("the disk is gone");
    const sources = function* () {
      yield sourceOf("a");
      throw new Error("no more");
    };
    await expect(archived(sources())).rejects.toThrow("no more");
  });

  test("ends when nobody reads it any more", async () => {
    const ended = Promise.withResolvers<void>();
    const sources = async function* () {
      try {
        for (let index = 0; ; index += 1) yield sourceOf(`${index}`, "x".repeat(100_000));
      } finally {
        ended.resolve();
      }
    };
    for await (const _ of tarOf(sources(), 0)) break;
    await within("the archive ends", ended.promise);
  });
});

describe("refuses", () => {
  test("an entry that is not a regular file", async () => {
    for (const type of ["symlink", "link", "directory", "fifo", "character-device"] as const)
      await expect(
        read(inPieces(await foreign({ name: "a", type, linkname: "/etc/passwd" }))),
      ).rejects.toThrow(/^"a\/?": not a regular file$/);
  });

  test("a header with a changed byte", async () => {
    const bytes = await archived([sourceOf("a")]);
    bytes[0]! += 1;
    await expect(read(inPieces(bytes))).rejects.toThrow("the archive is damaged or truncated");
  });

  test("an archive that was cut inside a file", async () => {
    const bytes = await archived([sourceOf("a", "x".repeat(2_000)), sourceOf("b")]);
    for (const kept of [1, BLOCK_BYTES - 1, BLOCK_BYTES + 7, 2_500, 5 * BLOCK_BYTES + 1])
      await expect(read(inPieces(bytes.subarray(0, kept)))).rejects.toThrow(
        "the archive is damaged or truncated",
      );
  });

  test("files that are too large together, before the one that is too much is read", async () => {
    const bytes = await archived([sourceOf("a", "x".repeat(600)), sourceOf("b", "x".repeat(600))]);
    await expect(read(inPieces(bytes), 1_199)).rejects.toThrow('"b": unpacks to more than 1199 bytes');
    expect(await read(inPieces(bytes), 1_200)).toHaveLength(2);
  });

  test("endless bytes between the files", async () => {
    const nothing = async function* () {
      for (;;) yield new Uint8Array(1024 * 1024);
    };
    await expect(read(nothing(), 1_000)).rejects.toThrow("the archive: unpacks to more than");
  });
});

test("a large content is passed on without a copy, between the small pieces around it", async () => {
  const content = Buffer.alloc(MIB, "x");
  const source: Source = { name: "large", size: content.length, content: [content] };
  const pieces = await Array.fromAsync(tarOf([source, sourceOf("small")], 1_700_000_000));
  expect(pieces.filter((piece) => piece.buffer === content.buffer)).toHaveLength(1);
  expect(pieces.map(({ length }) => length)).toEqual([BLOCK_BYTES, MIB, expect.any(Number)]);
});

test("replaces terminal sequences in names", async () => {
  const bytes = await archived([sourceOf("a\u001b[2Jb\u202e")]);
  expect(await read(inPieces(bytes))).toEqual([["a\ufffd[2Jb\ufffd", "abc"]]);
});

test("raises the error of a visit unchanged, and stops reading", async () => {
  const bytes = await archived([sourceOf("a"), sourceOf("b")]);
  const failure = new TypeError("not this one");
  let visits = 0;
  const reading = readTar(inPieces(bytes), GIB, async () => {
    visits += 1;
    throw failure;
  });
  await expect(reading).rejects.toBe(failure);
  expect(visits).toBe(1);
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array(1024);
}

async function* firstOf<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    return;
  }
}
