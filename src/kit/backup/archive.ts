// The archive format: tar, compressed with zstd, followed by a seal: a skippable zstd frame with the SHA-256 of everything before it. Written and
// read as a stream, without holding it in memory or making a second copy on disk. The reader trusts nothing.

import { constants as fileFlags } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { AppError, systemCode } from "../error.ts";
import { readTar, tarOf, type Packed, type Source } from "../disk/tar.ts";
import { writeWhole } from "../disk/write-whole.ts";

const CHUNK_BYTES = 256 * 1024;
/** Does not block on a FIFO without a writer. */
const READ = fileFlags.O_RDONLY | (fileFlags.O_NONBLOCK ?? 0);
/** Low, because most content is compressed already: more effort would save a few percent for most of the time. */
const ZSTD_LEVEL = 1;
/** Bounds the unpacked size, so that a small archive can neither fill a disk nor occupy a CPU for hours. */
const UNPACKED_RATIO_MAX = 1_000;
const UNPACKED_BYTES_FREE = 256 * 1024 * 1024;
/** The magic number of a skippable frame (RFC 8878, 3.1.2), which its length follows. */
const PADDING_MARK = 0x184d2a5f;
/** The header of the seal's skippable frame (RFC 8878, 3.1.2): magic number and content length, little-endian. */
const SEAL_MARK = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const SEAL_BYTES = SEAL_MARK.length + 32;

interface Written {
  /** The size of the archive in bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Writes the files in order. Raises what the disk and the sources raise, and the reason of `signal`. */
export async function writeArchive(
  handle: FileHandle,
  sources: AsyncIterable<Source>,
  seconds: number,
  signal: AbortSignal,
): Promise<Written> {
  const hasher = new Bun.CryptoHasher("sha256");
  let size = 0;
  const zstd = createZstdCompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
  });
  let unpacked = 0;
  async function* counted() {
    for await (const source of sources) {
      unpacked += source.size;
      yield source;
    }
  }
  const write = async (packed: AsyncIterable<Buffer> | Iterable<Buffer>) => {
    for await (const chunk of packed) {
      hasher.update(chunk);
      size += chunk.length;
      await writeWhole(handle, chunk);
    }
  };
  try {
    await pipeline(tarOf(counted(), seconds), zstd, write, { signal });
    await write(paddingFor(unpacked, size));
    await write([Buffer.concat([SEAL_MARK, hasher.copy().digest()])]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return { size, sha256: hasher.digest("hex") };
}

/** Judges a file's content, once the seal has shown that the archive is undamaged. */
type Judge = () => void;

/**
 * Calls `visit` with each file in order, and what it returns after the seal was verified. Returns the hash of the archive. Raises `not_found`,
 * `invalid` with the problem and its place, and whatever `visit` raises.
 */
export async function readArchive(
  path: string,
  visit: (file: Packed) => Promise<Judge | void>,
  signal: AbortSignal,
): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  let place = "at its beginning";
  const judges: { judge: Judge; of: string }[] = [];
  const visitInPlace = async (file: Packed) => {
    place = `in ${file.name}`;
    const judge = await visit(file);
    if (judge) judges.push({ judge, of: place });
    place = `after ${file.name}`;
  };
  const handle = await openRegular(path);
  try {
    const { seal, before } = await sealOf(handle);
    await pipeline(
      piecesOf(handle, before),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hasher.update(chunk);
          yield chunk;
        }
      },
      createZstdDecompress({ chunkSize: CHUNK_BYTES }),
      (bytes: AsyncIterable<Buffer>) => readTar(bytes, unpackedMax(before), visitInPlace),
      { signal },
    );
    if (seal === undefined) throw unsealed();
    if (!hasher.copy().digest().equals(seal.subarray(SEAL_MARK.length)))
      throw new AppError("invalid", "its seal does not match: the archive was changed");
    for (const { judge, of } of judges) {
      place = of;
      judge();
    }
    return hasher.update(seal).digest("hex");
  } catch (error) {
    signal.throwIfAborted();
    // The compressed stream ended before the file, which aborts the pipeline.
    throw readError(path, isAbort(error) ? unsealed() : error, place);
  } finally {
    await handle.close();
  }
}

/** Requires a regular file, whose end can be read first and which can be read twice. Raises `not_found`, `invalid`. */
async function openRegular(path: string): Promise<FileHandle> {
  try {
    const handle = await open(path, READ);
    const stats = await handle.stat();
    if (stats.isFile()) return handle;
    await handle.close();
    throw stats.isDirectory() ? directoryGiven(path) : notRegular(path);
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") throw new AppError("not_found", `${path}: no such file`);
    if (code === "EISDIR") throw directoryGiven(path);
    // A socket.
    throw code === "ENXIO" ? notRegular(path) : error;
  }
}

function directoryGiven(path: string): AppError {
  return new AppError("invalid", `${path} is a directory, not a backup`);
}

function notRegular(path: string): AppError {
  return new AppError("invalid", `${path} is not a regular file; copy the backup into one`);
}

/** Yields the first `count` bytes of a file, or fewer at its end. */
async function* piecesOf(handle: FileHandle, count: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < count;) {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, count - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function unsealed(): AppError {
  return new AppError("invalid", "its seal is missing: the archive was truncated or appended to");
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** Returns the seal, if the file ends with one, and the number of bytes before it. */
async function sealOf(handle: FileHandle): Promise<{ seal: Buffer | undefined; before: number }> {
  const { size } = await handle.stat();
  const before = Math.max(0, size - SEAL_BYTES);
  const last = Buffer.alloc(SEAL_BYTES);
  const { bytesRead } = await handle.read(last, 0, SEAL_BYTES, before);
  const isSeal = bytesRead === SEAL_BYTES && last.subarray(0, SEAL_MARK.length).equals(SEAL_MARK);
  return isSeal ? { seal: last, before } : { seal: undefined, before: size };
}

/** Returns the most bytes that an archive of this size may unpack to. */
function unpackedMax(bytes: number): number {
  return Math.max(UNPACKED_BYTES_FREE, bytes * UNPACKED_RATIO_MAX);
}

/** Pads an archive of mostly empty pages, which would otherwise exceed the unpack ratio when it is read. */
function paddingFor(unpacked: number, bytes: number): Buffer[] {
  if (unpacked <= unpackedMax(bytes)) return [];
  const mark = Buffer.alloc(8);
  const count = Math.ceil(unpacked / UNPACKED_RATIO_MAX) - bytes;
  mark.writeUInt32LE(PADDING_MARK, 0);
  mark.writeUInt32LE(count, 4);
  return [mark, Buffer.alloc(count)];
}

function readError(path: string, error: unknown, where: string): unknown {
  const code = systemCode(error) ?? "";
  if (code.startsWith("ZSTD_") || code.startsWith("ERR_"))
    return new AppError("invalid", `${path} is damaged or not a backup: decompression failed (${where})`);
  if (error instanceof AppError && error.code === "invalid")
    return new AppError("invalid", `${path}: ${error.message} (${where})`);
  return error;
}
