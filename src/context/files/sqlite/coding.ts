// How content is kept: compressed where that saves something. Level 1: the time to store is felt, the last few percent are not. Large content
// is compressed by a thread of the runtime: at once, it would keep everybody waiting.

const COMPRESSED_FROM_BYTES = 256;
/** At once this takes less than a millisecond, and a thread as much. */
const AT_ONCE_BYTES_MAX = 128 * 1024;
const SAVED_AT_LEAST = 0.1;
const ZSTD_LEVEL = 1;

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

export function decode({ coding, content }: Coded): Uint8Array {
  return coding === "raw" ? content : Bun.zstdDecompressSync(content);
}
