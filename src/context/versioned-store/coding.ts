// The stored form of content: compressed where that saves space. Level 1, because users notice the time of a write but not the last few percent
// of space. A runtime thread compresses large content, which would otherwise block the event loop.

import { promisify } from "node:util";
import { zstdDecompress, zstdDecompressSync, type ZstdOptions } from "node:zlib";
import { isFrameOf } from "./zstd-frame.ts";

const COMPRESSED_FROM_BYTES = 256;
/** Up to this size, compressing inline takes less than a millisecond, no more than handing it to a thread. */
const AT_ONCE_BYTES_MAX = 128 * 1024;
const SAVED_AT_LEAST = 0.1;
const ZSTD_LEVEL = 1;
/** The minimum of the library. */
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

/** A stored content with its decoded size in bytes. */
export interface Stored extends Coded {
  readonly size: number;
}

/** Never produces more than `size` bytes, because a row may come from a forged backup. Throws for larger content. */
export function decode(stored: Stored): Uint8Array {
  if (stored.coding === "raw") return stored.content;
  return isPlain(stored) ? Bun.zstdDecompressSync(stored.content) : limited(stored);
}

/** As `decode`. A runtime thread decompresses the content, for a caller that has a large one or many. */
export async function decodeAside(stored: Stored): Promise<Uint8Array> {
  if (stored.coding === "raw") return stored.content;
  if (isPlain(stored)) return Bun.zstdDecompress(stored.content);
  return decompressed(stored.content, limitsOf(stored));
}

const decompressed = promisify<Uint8Array, ZstdOptions, Buffer>(zstdDecompress);

/** The runtime's own functions allocate as much as the frames claim, so they get a single one that claims the right size. */
function isPlain({ content, size }: Stored): boolean {
  return size <= AT_ONCE_BYTES_MAX && isFrameOf(content, size);
}

function limited(stored: Stored): Uint8Array {
  return zstdDecompressSync(stored.content, limitsOf(stored));
}

function limitsOf({ size }: Stored): ZstdOptions {
  return { maxOutputLength: size, chunkSize: Math.max(CHUNK_BYTES_MIN, size) };
}
