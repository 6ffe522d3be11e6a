// Buffers bytes: a few in memory, more in an unlinked file, so that nothing remains after close, even after a crash. Written sequentially,
// then read.

import { mkdir, open, unlink, type FileHandle } from "node:fs/promises";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { guarded } from "./disk.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "./modes.ts";
import { randomHex } from "../random.ts";

const NAME_BITS = 96;
/** Kept in memory up to this size, because a file costs more than the copy. */
const IN_MEMORY_BYTES_MAX = 256 * 1024;
const WINDOW_BYTES = 1024 * 1024;

/** The directory where a server keeps its spools. */
export class SpoolDirectory {
  readonly #path: string;

  /** Deletes files that a crash left between creation and unlinking. */
  constructor(path: string) {
    this.#path = path;
    rmSync(path, { recursive: true, force: true });
  }

  open(): Spool {
    return new Spool(this.#path);
  }
}

export class Spool implements AsyncDisposable {
  readonly #directory: string;
  #pieces: Uint8Array[] = [];
  #file: FileHandle | undefined;
  /** The last chunk read. */
  #window: { readonly at: number; readonly bytes: Uint8Array } = { at: 0, bytes: new Uint8Array() };
  /** Bytes. */
  size = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Takes ownership of the bytes. Raises `unavailable` when the disk is full. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#pieces.push(bytes);
    this.size += bytes.length;
    if (this.#file === undefined && this.size <= IN_MEMORY_BYTES_MAX) return;
    const pieces = this.#pieces;
    this.#pieces = [];
    await guarded("", async () => {
      this.#file ??= await nameless(this.#directory);
      for (const piece of pieces) await this.#file.appendFile(piece);
    });
  }

  /** Returns a copy in its own buffer, because a transfer to another thread takes the whole buffer. Cheap for consecutive reads. */
  async read(at: number, length: number): Promise<Uint8Array> {
    if (this.#file === undefined) {
      if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
      return new Uint8Array((this.#pieces[0] ?? new Uint8Array()).subarray(at, at + length));
    }
    if (length > WINDOW_BYTES) return this.#readFile(this.#file, at, length);
    const { at: start, bytes } = this.#window;
    if (at < start || at + length > start + bytes.length)
      this.#window = {
        at,
        bytes: await this.#readFile(this.#file, at, Math.min(WINDOW_BYTES, this.size - at)),
      };
    const from = at - this.#window.at;
    return this.#window.bytes.slice(from, from + length);
  }

  #readFile(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
    return guarded("", async () => {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length;) {
        const { bytesRead } = await file.read(bytes, done, length - done, from + done);
        if (bytesRead === 0) throw new Error("a spool is shorter than what was written");
        done += bytesRead;
      }
      return bytes;
    });
  }

  get isInMemory(): boolean {
    return this.#file === undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pieces = [];
    this.#window = { at: 0, bytes: new Uint8Array() };
    await this.#file?.close();
  }
}

async function nameless(directory: string): Promise<FileHandle> {
  await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const path = join(directory, randomHex(NAME_BITS));
  const file = await open(path, "wx+", PRIVATE_FILE_MODE);
  await unlink(path);
  return file;
}
