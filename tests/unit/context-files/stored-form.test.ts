// Goal: a stored content decodes to what was written, and forged bytes never to more than their row says.

import { describe, expect, test } from "bun:test";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as fc from "fast-check";
import { decode, encode } from "../../../src/context/versioned-store/coding.ts";
import { isFrameOf } from "../../../src/context/versioned-store/zstd-frame.ts";

const small = Buffer.from("a line that repeats itself\n".repeat(40));
const bomb = Bun.zstdCompressSync(new Uint8Array(64 * 1024 * 1024));

/** From one byte to several blocks, with and without runs. */
const contents = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 600 }))
  .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part)));

test("a content decodes to what was encoded", async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (bytes) => {
      const decoded = decode({ ...(await encode(bytes)), size: bytes.length });
      expect(Buffer.compare(decoded, bytes)).toBe(0);
    }),
  );
});

describe("a frame", () => {
  const compress = [
    (bytes: Uint8Array) => Bun.zstdCompressSync(bytes, { level: 1 }),
    (bytes: Uint8Array) => zstdCompressSync(bytes),
    (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
  ];

  test("with its size is recognized, whatever its content", () => {
    fc.assert(
      fc.property(contents, fc.constantFrom(...compress), (bytes, pack) => {
        expect(isFrameOf(pack(bytes), bytes.length)).toBe(true);
      }),
    );
  });

  test("is none with another size, a part of it, or more than it", () => {
    const frame = Buffer.from(Bun.zstdCompressSync(small));
    const others = {
      "another size": [frame, small.length + 1],
      nothing: [Buffer.alloc(0), 0],
      "its beginning": [frame.subarray(0, -1), small.length],
      "a second frame": [Buffer.concat([frame, frame]), small.length],
      "a bomb behind it": [Buffer.concat([frame, bomb]), small.length],
      "a part that decoders skip": [
        Buffer.concat([Buffer.from("502a4d1800000000", "hex"), frame]),
        small.length,
      ],
    } as const;
    for (const [name, [bytes, size]] of Object.entries(others))
      expect([name, isFrameOf(bytes, size)]).toEqual([name, false]);
  });
});

test("forged bytes decode as they do with a limit, or not at all", () => {
  const limited = (content: Uint8Array) =>
    outcome(() => zstdDecompressSync(content, { maxOutputLength: small.length, chunkSize: small.length }));
  const frame = Bun.zstdCompressSync(small);
  const change = fc.record({ at: fc.nat(frame.length - 1), byte: fc.nat(255) });
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 4 }),
      fc.constantFrom(Buffer.alloc(0), bomb),
      (changes, tail) => {
        const content = Buffer.concat([frame, tail]);
        for (const { at, byte } of changes) content[at] = byte;
        const decoded = outcome(() => decode({ coding: "zstd", content, size: small.length }));
        expect(["refused", limited(content)]).toContain(decoded);
      },
    ),
    { numRuns: 2_000 },
  );
});

function outcome(run: () => Uint8Array): string {
  try {
    return Buffer.from(run()).toString("hex");
  } catch {
    return "refused";
  }
}
