// Tar archives of regular files, written and read as streams by tar-stream (POSIX ustar; pax records for long and non-ASCII names).
// Archives are untrusted: reading accepts only regular files, and no more bytes than the caller allows.

import { SECOND_MS } from "../clock.ts";
import { pipeline } from "node:stream/promises";
import { extract, pack, type Header, type Pack } from "tar-stream";
import { AppError, systemCode } from "../error.ts";
import { PRIVATE_FILE_MODE } from "./modes.ts";
import { visibleInLine } from "../text/visible.ts";

/** The bytes that an archive may contain beside its files: headers, padding, pax records. */
const OVERHEAD_BYTES_MAX = 16 * 1024 * 1024;
const PIECE_BYTES_MIN = 64 * 1024;

export interface Entry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

export interface Source extends Entry {
  /** Exactly `size` bytes. */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Permission bits; private by default. */
  readonly mode?: number;
}

export interface Packed extends Entry {
  /** Must be read to its end. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** `seconds`: the modification time of every file, since the epoch. Throws if a content is not `size` bytes long. */
export async function* tarOf(
  sources: AsyncIterable<Source> | Iterable<Source>,
  seconds: number,
): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const mtime = new Date(seconds * SECOND_MS);
  const written = writeAll(archive, sources, mtime).catch((error: Error) => void archive.destroy(error));
  yield* gathered(archive as AsyncIterable<Uint8Array>);
  await written;
}

/** Joins pieces: the packer makes three of each file, and whoever compresses or sends them pays for each. */
async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const isLarge = piece.length >= PIECE_BYTES_MIN;
    if (!isLarge) {
      waiting.push(piece);
      bytes += piece.length;
    }
    if (bytes >= PIECE_BYTES_MIN || (isLarge && bytes > 0)) {
      yield Buffer.concat(waiting, bytes);
      [waiting, bytes] = [[], 0];
    }
    // A copy of a large one would take milliseconds.
    if (isLarge) yield piece;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

async function writeAll(
  archive: Pack,
  sources: AsyncIterable<Source> | Iterable<Source>,
  mtime: Date,
): Promise<void> {
  for await (const { name, size, content, mode = PRIVATE_FILE_MODE } of sources) {
    const written = Promise.withResolvers<void>();
    // It may end, with its reader, while content is read. Its error is awaited below.
    written.promise.catch(() => {});
    const entry = archive.entry({ name, size, mode, mtime }, (error) =>
      error ? written.reject(error) : written.resolve(),
    );
    entry.on("error", () => {});
    // By hand, because `pipeline` takes three times as long as all else for a small file.
    try {
      for await (const piece of content) if (!entry.write(piece)) await drained(entry, written.promise);
      entry.end(null);
    } catch (error) {
      entry.destroy(error as Error);
      throw error;
    }
    await written.promise;
  }
  archive.finalize();
}

/** Waits until the entry takes more. `written`: settles at the end of the entry, also of a broken one. */
function drained(entry: ReturnType<Pack["entry"]>, written: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  entry.once("drain", resolve);
  return Promise.race([written, promise]);
}

/**
 * Calls `visit` with each file, in order. Raises `invalid` for an archive that is damaged, that holds anything but regular files, or whose
 * files have more than `bytesMax` bytes together; and whatever `bytes` and `visit` raise.
 */
export async function readTar(
  bytes: AsyncIterable<Uint8Array>,
  bytesMax: number,
  visit: (file: Packed) => Promise<void>,
): Promise<void> {
  const reader = extract();
  let visited: Promise<void> | undefined;
  let total = 0;
  const take = async (header: Header, content: AsyncIterable<Uint8Array>) => {
    const { name, size } = regularFile(header);
    total += size;
    if (total > bytesMax) throw tooLarge(`"${name}"`, bytesMax);
    await visit({ name, size, content });
  };
  reader.on("entry", (header, content, next) => {
    // The reader's error is the relevant one; an unhandled copy of it would end the program.
    content.on("error", () => {});
    visited = settled(take(header, content as AsyncIterable<Uint8Array>), next);
  });
  try {
    await pipeline(bounded(bytes, bytesMax + OVERHEAD_BYTES_MAX), reader);
    await visited;
  } catch (error) {
    throw isOfTarStream(error) ? new AppError("invalid", "the archive is damaged or truncated") : error;
  }
}

async function settled(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    return done(error as Error);
  }
  done();
}

/** Limits the pax records and empty blocks, which the reader skips without a limit. */
async function* bounded(bytes: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > bytesMax) throw tooLarge("the archive", bytesMax);
    yield chunk;
  }
}

function regularFile({ name, size, type }: Header): Entry {
  const shown = visibleInLine(name);
  if (type !== "file") throw new AppError("invalid", `"${shown}": not a regular file`);
  return { name: shown, size };
}

function tooLarge(what: string, bytesMax: number): AppError {
  return new AppError("invalid", `${what}: unpacks to more than ${bytesMax} bytes`);
}

/** Recognizes tar-stream's errors: the only ones here without a class or a code. */
function isOfTarStream(error: unknown): boolean {
  return error instanceof Error && error.constructor === Error && systemCode(error) === undefined;
}
