// Tar archives (POSIX ustar; sizes beyond 8 GiB in base 256, as GNU and BSD read them; other names than short ones in ASCII in a pax header, POSIX.1-2001).
// Written as a stream of regular files. Read are headers of regular files with short names, which is what we write for ourselves; anything
// else is refused, by name.

import { AppError } from "./error.ts";
import { PRIVATE_FILE_MODE } from "./modes.ts";

export const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const OCTAL_SIZE_MAX = 0o77777777777;

const CHECKSUM = { at: 148, length: 8 };
const SIZE = { at: 124, length: 12 };
const BASE_256 = 0x80;
const REGULAR = ["0", "\0"];
const PAX = "x";
const ASCII = /^[\0-\x7f]*$/;
/** Empty ones, behind the last file. */
export const END_BLOCKS = 2;

export interface Entry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

export interface Source extends Entry {
  /** Exactly `size` bytes. A chunk is used up before the next is asked for. */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** `seconds`: the time of all of them, since the epoch. Throws for a content that is not as long as it said. */
export async function* tarOf(
  sources: AsyncIterable<Source> | Iterable<Source>,
  seconds: number,
): AsyncGenerator<Uint8Array> {
  for await (const source of sources) {
    yield headerOf(source, seconds);
    let size = 0;
    for await (const chunk of source.content) {
      size += chunk.length;
      yield chunk;
    }
    if (size !== source.size) throw new Error(`${source.name}: ${size} bytes instead of ${source.size}`);
    yield Buffer.alloc(paddingOf(size));
  }
  yield Buffer.alloc(END_BLOCKS * BLOCK_BYTES);
}

/** `seconds`: its time, since the epoch. */
export function headerOf(entry: Entry, seconds: number): Buffer {
  const name = Buffer.from(entry.name);
  if (name.length <= NAME_BYTES_MAX && ASCII.test(entry.name))
    return blockOf(entry, name, REGULAR[0]!, seconds);
  const record = paxRecord("path", entry.name);
  return Buffer.concat([
    blockOf({ name: "", size: record.length }, Buffer.from("pax"), PAX, seconds),
    record,
    Buffer.alloc(paddingOf(record.length)),
    // For readers that don't know it, as much of the name as fits.
    blockOf(entry, name.subarray(0, NAME_BYTES_MAX), REGULAR[0]!, seconds),
  ]);
}

/** `<length> <key>=<value>\n`; the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function blockOf({ size }: Entry, name: Buffer, kind: string, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  name.copy(block);
  octal(block, 100, 8, PRIVATE_FILE_MODE);
  octal(block, 108, 8, 0);
  octal(block, 116, 8, 0);
  if (size <= OCTAL_SIZE_MAX) octal(block, SIZE.at, SIZE.length, size);
  else {
    block[SIZE.at] = BASE_256;
    block.writeBigUInt64BE(BigInt(size), SIZE.at + SIZE.length - 8);
  }
  octal(block, 136, 12, seconds);
  block.write(kind, 156);
  block.write("ustar\x0000", 257, "latin1");
  block.write(`${checksumOf(block).toString(8).padStart(6, "0")}\0 `, CHECKSUM.at, "latin1");
  return block;
}

/** Undefined for the block that ends an archive. Raises `invalid`. */
export function parseHeader(block: Buffer): Entry | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const stated = Number.parseInt(text(block, CHECKSUM.at, CHECKSUM.length), 8);
  if (stated !== checksumOf(block)) throw new AppError("invalid", "the header of a file is not readable");
  const prefix = text(block, 345, 155);
  const last = text(block, 0, NAME_BYTES_MAX);
  // Shown in messages: no terminal shall obey it.
  const name = (prefix === "" ? last : `${prefix}/${last}`).replace(/\p{Cc}/gu, "\ufffd");
  if (!REGULAR.includes(String.fromCharCode(block[156]!)))
    throw new AppError("invalid", `"${name}": is not a regular file`);
  const size =
    block[SIZE.at] === BASE_256
      ? Number(block.readBigUInt64BE(SIZE.at + SIZE.length - 8))
      : Number.parseInt(text(block, SIZE.at, SIZE.length), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new AppError("invalid", `"${name}": has no size`);
  return { name, size };
}

/** Bytes after a file of that size, up to the next block. */
export function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

function octal(block: Buffer, at: number, length: number, value: number): void {
  block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
}

function text(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString("utf8", at, end < 0 ? at + length : Math.min(end, at + length)).trim();
}

/** With its own field read as spaces. */
function checksumOf(block: Buffer): number {
  let sum = 0;
  for (const [index, byte] of block.entries())
    sum += index >= CHECKSUM.at && index < CHECKSUM.at + CHECKSUM.length ? 0x20 : byte;
  return sum;
}
