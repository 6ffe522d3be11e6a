// Writers for the two archive formats of a release, as pure functions: the same files give the same bytes, everywhere and always.
// Zip is our own code because system `zip` stamps times. Its format: PKWARE APPNOTE 6.3.10 without Zip64, enough for files under 4 GiB.

import { deflateRawSync, gzipSync } from "node:zlib";

export interface ArchiveFile {
  /** Path inside the archive, with `/`. */
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  executable: boolean;
}

const COMPRESSION_LEVEL = 6;

/** Modification time of every file, seconds since the epoch: a fixed one, since the build date is in the program itself. */
const FIXED_TIME_S = 315_532_800; // 1980-01-01, the first day that a zip file can name.

export async function tarGz(files: readonly ArchiveFile[]): Promise<Buffer<ArrayBuffer>> {
  // Not before it is needed: scripts start before packages are installed.
  const { tarOf } = await import("../src/kit/disk/tar.ts");
  const sources = files.map(({ path, bytes, executable }) => ({
    name: path,
    size: bytes.length,
    content: [bytes],
    mode: executable ? 0o755 : 0o644,
  }));
  const zipped = gzipSync(Buffer.concat(await Array.fromAsync(tarOf(sources, FIXED_TIME_S))), {
    level: COMPRESSION_LEVEL,
  });
  zipped[9] = 255; // Byte 9 of a gzip header names the system that wrote it; 255 is "unknown" (RFC 1952).
  return zipped;
}

/** Field sizes are those of the format: pairs of [bytes, value]. */
function record(...fields: [2 | 4, number][]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [size]) => sum + size, 0));
  let offset = 0;
  for (const [size, value] of fields) offset = buffer.writeUIntLE(value, offset, size);
  return buffer;
}

const ZIP_VERSION = 20;
const ZIP_MADE_BY_UNIX = (3 << 8) | ZIP_VERSION;
const ZIP_DEFLATE = 8;
const ZIP_TIME = 0;
const ZIP_DATE = (1 << 5) | 1; // 1980-01-01

export function zip(files: readonly ArchiveFile[]): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.path, "latin1");
    const data = deflateRawSync(file.bytes, { level: COMPRESSION_LEVEL });
    const common = record(
      [2, ZIP_VERSION],
      [2, 0],
      [2, ZIP_DEFLATE],
      [2, ZIP_TIME],
      [2, ZIP_DATE],
      [4, Bun.hash.crc32(file.bytes)],
      [4, data.length],
      [4, file.bytes.length],
      [2, name.length],
      [2, 0],
    );
    const local = [record([4, 0x04034b50]), common, name, data];
    const mode = (0o100000 | (file.executable ? 0o755 : 0o644)) * 0x10000;
    const tail = record([2, 0], [2, 0], [2, 0], [4, mode], [4, offset]);
    directory.push(record([4, 0x02014b50], [2, ZIP_MADE_BY_UNIX]), common, tail, name);
    parts.push(...local);
    offset += byteLength(local);
  }
  const size = byteLength(directory);
  const count = files.length;
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]);
  return Buffer.concat([...parts, ...directory, end]);
}

function byteLength(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
