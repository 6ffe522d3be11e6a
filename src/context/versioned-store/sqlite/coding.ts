// How content is kept: compressed where that saves something. Level 1: the time to store is felt, the last few percent are not. Large content
// is compressed by a thread of the runtime: at once, it would keep everybody waiting.

import { zstdDecompressSync } from "node:zlib";

const COMPRESSED_FROM_BYTES = 256;
/** At once this takes less than a millisecond, and a thread as much. */
const AT_ONCE_BYTES_MAX = 128 * 1024;
const SAVED_AT_LEAST = 0.1;
const ZSTD_LEVEL = 1;
/** The library takes no smaller one. */
const CHUNK_BYTES_MIN = 64;

export interface Coded {
  readonly coding: "raw" | "zstd";
  readonly content: Uint8Array;
}

export function encode(bytes: Uint8Array): Coded | Promise<Coded> {
  if (bytes.length < COMPRESSED_FROM_BYTES) return { coding: "raw", content: bytes };
  const options = { level: ZSTD_LEVEL };
  return bytes.length <= AT_ONCE_BYTES_MAX
    ? shorter(bytes, Bun.zstdCompressSync(bytes, options))
    : Bun.zstdCompress(bytes, options).then((packed) => shorter(bytes, packed));
}

function shorter(bytes: Uint8Array, packed: Uint8Array): Coded {
  return packed.length <= bytes.length * (1 - SAVED_AT_LEAST)
    ? { coding: "zstd", content: packed }
    : { coding: "raw", content: bytes };
}

/** What is kept of a content, with the number of bytes that it has. */
export interface Stored extends Coded {
  readonly size: number;
}

/** Never makes more than `size` bytes: a row may come from a backup that somebody forged. Throws for a content that is larger. */
export function decode({ coding, content, size }: Stored): Uint8Array {
  if (coding === "raw") return content;
  return zstdDecompressSync(content, {
    maxOutputLength: size,
    chunkSize: Math.max(CHUNK_BYTES_MIN, size),
  });
}
