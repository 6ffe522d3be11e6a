// Reads names and signatures of the files in a directory through the system's own calls, without an object for each file: with very many files
// these objects take longer than the system. Linux only; elsewhere, and wherever a call is missing, callers use node:fs.

import { ptr, type Pointer } from "bun:ffi";
import { constants } from "node:fs";
import { systemCalls } from "../c-library.ts";

const FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0) | 0o2000000;
/** About 800 files: 2 ms of work. */
const CHUNK_BYTES = 32 * 1024;
/** A record of the system: number (8), offset (8), its length (2), type (1), name, zero. */
const LENGTH_AT = 16;
const TYPE_AT = 18;
const NAME_AT = 19;
const DIRECTORY = 4;
const REGULAR = 8;
const UNKNOWN = 0;
/** `struct statx`: the same on every processor. In units of four bytes: inode, size, ctime and mtime with their nanoseconds. */
const STATX_BYTES = 256;
const [INODE, SIZE, CHANGED, MODIFIED] = [8, 10, 24, 28] as const;
/** Type, size, inode, ctime, mtime. */
const WANTED = 0x3c1;
const NO_FOLLOW = 0x100;
const FACTS = 10;
const RECORD_BYTES_MIN = 24;

/** Some of the files of a directory. */
interface DirectoryChunk {
  /** Regular files in this chunk. */
  readonly files: number;
  /** Names as on disk. */
  readonly directories: readonly string[];
}

interface Calls {
  open(path: Uint8Array, flags: number): number;
  close(descriptor: number): number;
  getdents64(descriptor: number, buffer: Pointer, bytes: number): number | bigint;
  statx(descriptor: number, name: Pointer, flags: number, mask: number, buffer: Pointer): number;
}

const SYMBOLS = {
  open: { args: ["ptr", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  getdents64: { args: ["i32", "ptr", "u64"], returns: "i64" },
  statx: { args: ["i32", "ptr", "i32", "u32", "ptr"], returns: "i32" },
} as const;

let calls: Calls | null | undefined;

/** Reports whether this system has the calls. */
export function hasDirectoryFacts(): boolean {
  return (calls ??= systemCalls(SYMBOLS)) !== null;
}

const chunk = new Uint8Array(new ArrayBuffer(CHUNK_BYTES));
const lengths = new DataView(chunk.buffer);
const stat = new Int32Array(new ArrayBuffer(STATX_BYTES));
const facts = new Int32Array((CHUNK_BYTES / RECORD_BYTES_MIN) * FACTS);
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * Yields the files of a directory in chunks, between which the caller may pause. Follows no link at the end of the path. `isTrusted`: whether a time
 * of a file rules out a later edit with the same signature. Returns a hash of all names, types and signatures, 0 for a directory that cannot be opened, and
 * undefined if it cannot tell what is there or a file is not trusted.
 */
export function* directoryFacts(
  path: string,
  isTrusted: (seconds: number, nanoseconds: number) => boolean,
): Generator<DirectoryChunk, bigint | undefined> {
  const descriptor = calls!.open(encoder.encode(`${path}\0`), FLAGS);
  if (descriptor < 0) return 0n;
  const [chunkAt, statAt] = [ptr(chunk), ptr(stat)];
  const names = new Grown();
  const signatures = new Grown();
  try {
    for (;;) {
      // The system leaves the ends of its records as they are, and they are hashed, too.
      chunk.fill(0);
      const end = Number(calls!.getdents64(descriptor, chunkAt, CHUNK_BYTES));
      if (end < 0) return undefined;
      if (end === 0) break;
      const directories: string[] = [];
      let files = 0;
      for (let at = 0; at < end; at += lengths.getUint16(at + LENGTH_AT, true)) {
        const type = chunk[at + TYPE_AT];
        if (type === UNKNOWN) return undefined;
        if (type === DIRECTORY) directories.push(nameAt(at + NAME_AT));
        if (type !== REGULAR) continue;
        const name = (chunkAt + at + NAME_AT) as Pointer;
        if (calls!.statx(descriptor, name, NO_FOLLOW, WANTED, statAt) !== 0) return undefined;
        keep(files++ * FACTS);
        if (!isTrusted(secondsAt(MODIFIED), stat[MODIFIED + 2]!)) return undefined;
        if (!isTrusted(secondsAt(CHANGED), stat[CHANGED + 2]!)) return undefined;
      }
      names.add(chunk.subarray(0, end));
      signatures.add(new Uint8Array(facts.buffer, 0, files * FACTS * Int32Array.BYTES_PER_ELEMENT));
      yield { files, directories };
    }
    // Only now, because a signal to this process, such as that of a garbage collection, ends a chunk early.
    return Bun.hash(signatures.all(), Bun.hash(names.all()) as bigint) as bigint;
  } finally {
    calls!.close(descriptor);
  }
}

/** Bytes one after the other. */
class Grown {
  #bytes = new Uint8Array(CHUNK_BYTES);
  #length = 0;

  add(more: Uint8Array): void {
    const length = this.#length + more.length;
    if (length > this.#bytes.length) {
      const longer = new Uint8Array(length * 2);
      longer.set(this.all());
      this.#bytes = longer;
    }
    this.#bytes.set(more, this.#length);
    this.#length = length;
  }

  all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** They have 64 bits. */
function secondsAt(place: number): number {
  return stat[place + 1]! * 2 ** 32 + (stat[place]! >>> 0);
}

function nameAt(at: number): string {
  return decoder.decode(chunk.subarray(at, chunk.indexOf(0, at)));
}

function keep(at: number): void {
  facts[at] = stat[INODE]!;
  facts[at + 1] = stat[INODE + 1]!;
  facts[at + 2] = stat[SIZE]!;
  facts[at + 3] = stat[SIZE + 1]!;
  facts[at + 4] = stat[CHANGED]!;
  facts[at + 5] = stat[CHANGED + 1]!;
  facts[at + 6] = stat[CHANGED + 2]!;
  facts[at + 7] = stat[MODIFIED]!;
  facts[at + 8] = stat[MODIFIED + 1]!;
  facts[at + 9] = stat[MODIFIED + 2]!;
}
