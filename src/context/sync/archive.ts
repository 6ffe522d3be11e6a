// Streams the archive of a pull: reads, packs and sends one file after another, so that neither a large space nor a slow client fills the memory.
// A client that disconnects stops the reading.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { tarOf, type Source } from "../../kit/disk/tar.ts";

export interface Pulled {
  readonly path: string;
  readonly version: number;
  /** In bytes. */
  readonly size: number;
  /** Raises as a read does, because the file or the right to it may be gone meanwhile. */
  readonly read: () => Promise<Uint8Array>;
}

export const ARCHIVE_TYPE = "application/zstd";
/** The first member maps path → version, so that the archive is self-contained. */
const VERSIONS_NAME = ".versions.json";
const CHUNK_BYTES = 256 * 1024;
/** Low, because most files are small and requested once. */
const ZSTD_LEVEL = 1;

/** `onFailure`: called when the stream fails, but not when its reader leaves. */
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

async function* sourcesOf(pulled: readonly Pulled[]): AsyncGenerator<Source> {
  const versions = Buffer.from(
    JSON.stringify(Object.fromEntries(pulled.map(({ path, version }) => [path, version]))),
  );
  yield { name: VERSIONS_NAME, size: versions.length, content: [versions] };
  const stretch = new Stretch();
  for (const { path, size, read } of pulled) {
    if (stretch.isOver()) await turnOfOthers();
    yield { name: path, size, content: once(read) };
  }
}

async function* once(read: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await read();
}
