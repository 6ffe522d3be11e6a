// The archive that answers a pull, as a stream: one file after the other is read, packed and sent, so that neither a large space nor a slow
// client fills the memory. Whoever goes away ends the reading.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { tarOf, type Source } from "../../kit/tar.ts";

export interface Pulled {
  readonly path: string;
  readonly version: number;
  /** Bytes. */
  readonly size: number;
  /** Raises as a read does, for what became of the file or of the right to it meanwhile. */
  readonly read: () => Promise<Uint8Array>;
}

/** First in the archive: path → version, so that it is complete in itself. */
const VERSIONS_NAME = ".versions.json";
const CHUNK_BYTES = 256 * 1024;
/** Most files are small and asked for once. */
const ZSTD_LEVEL = 1;

/** `onFailure`: the stream broke off for another reason than that nobody reads it any more. */
export function pullArchive(
  pulled: readonly Pulled[],
  seconds: number,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const zstd = createZstdCompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
  });
  let isLeft = false;
  zstd.once("close", () => (isLeft = !zstd.readableEnded));
  pipeline(tarOf(sourcesOf(pulled), seconds), zstd).catch((error: unknown) => {
    if (!isLeft) onFailure(error);
  });
  return Readable.toWeb(zstd) as unknown as ReadableStream<Uint8Array>;
}

function* sourcesOf(pulled: readonly Pulled[]): Generator<Source> {
  const versions = Buffer.from(
    JSON.stringify(Object.fromEntries(pulled.map(({ path, version }) => [path, version]))),
  );
  yield { name: VERSIONS_NAME, size: versions.length, content: [versions] };
  for (const { path, size, read } of pulled) yield { name: path, size, content: once(read) };
}

async function* once(read: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await read();
}
