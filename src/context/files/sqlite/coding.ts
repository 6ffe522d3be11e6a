// How content is kept: compressed where that saves something. Level 1: the time to store is felt, the last few percent are not.

const COMPRESSED_FROM_BYTES = 256;
const SAVED_AT_LEAST = 0.1;
const ZSTD_LEVEL = 1;

export interface Coded {
  readonly coding: "raw" | "zstd";
  readonly content: Uint8Array;
}

export function encode(bytes: Uint8Array): Coded {
  if (bytes.length < COMPRESSED_FROM_BYTES) return { coding: "raw", content: bytes };
  const packed = Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL });
  return packed.length <= bytes.length * (1 - SAVED_AT_LEAST)
    ? { coding: "zstd", content: packed }
    : { coding: "raw", content: bytes };
}

export function decode({ coding, content }: Coded): Uint8Array {
  return coding === "raw" ? content : Bun.zstdDecompressSync(content);
}
