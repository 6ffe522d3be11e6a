// Compresses what a node sends. A large push makes an entry of tens of megabytes, so copying is done in pieces, and compressing in another thread.

import { constants, createZstdCompress } from "node:zlib";
import { pipeline } from "node:stream/promises";
import { Stretch, turnOfOthers } from "../clock.ts";

/** Low, because most content is compressed already, and answers wait for it. */
const LEVEL = 1;
const CHUNK_BYTES = 256 * 1024;
/** Compressing less than this at once is faster than in pieces. */
const AT_ONCE_BYTES_MAX = 1024 * 1024;

/** A stream that compresses in another thread. */
export function packer() {
  return createZstdCompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  });
}

/** Compresses all pieces as one. */
export async function packed(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (bytes <= AT_ONCE_BYTES_MAX) return Bun.zstdCompress(Buffer.concat(pieces), { level: LEVEL });
  const chunks: Buffer[] = [];
  await pipeline(gathered(pieces), packer(), async (compressed: AsyncIterable<Buffer> | Iterable<Buffer>) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return joined(chunks);
}

/** Yields the pieces in chunks of a size that is worth a step of a stream. */
function* gathered(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

async function joined(chunks: readonly Buffer[]): Promise<Uint8Array> {
  const all = Buffer.allocUnsafe(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  const stretch = new Stretch();
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
    if (stretch.isOver()) await turnOfOthers();
  }
  return all;
}
