// Reads small files whole: settings, keys, tokens. Anything but a regular file is refused, because reading a FIFO or a terminal blocks the process,
// with its signals, until somebody writes to it.

import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { devNull } from "node:os";

const MIB = 1024 * 1024;
const FILE_MIB_MAX = 16;
const CHUNK_BYTES = 64 * 1024;
/** Opening a FIFO must not block either. Windows has none of these flags. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** A pipe that the shell passes on, as `<(command)` does. */
const INHERITED = /^\/(?:dev\/stdin|dev\/fd\/[0-9]+|proc\/self\/fd\/[0-9]+)$/;

/** Says by `code` which kind of file it is, as the system does; `accessProblem` has the words. */
class FileError extends Error {
  readonly code: "EISDIR" | "EFTYPE" | "EFBIG";

  constructor(code: FileError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Follows links. Throws the error of the system, or one that says why the file cannot be read whole. Never blocks. */
export function readRegularFile(path: string, mibMax = FILE_MIB_MAX): Buffer {
  const file = openSync(path, OPEN_FLAGS);
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw otherKind(facts);
    return readToEnd(file, mibMax);
  } finally {
    closeSync(file);
  }
}

/**
 * As `readRegularFile`, for a file that a person names at the command line: also reads a pipe that the shell passes on, and the null device. A pipe
 * blocks until its writer ends, so call it while signals still end the process.
 */
export function readNamedFile(path: string, mibMax = FILE_MIB_MAX): Buffer {
  const facts = statSync(path);
  if (isNullDevice(facts)) return Buffer.alloc(0);
  if (!facts.isFIFO() || !INHERITED.test(path)) return readRegularFile(path, mibMax);
  const pipe = openSync(path, "r");
  try {
    return readToEnd(pipe, mibMax);
  } finally {
    closeSync(pipe);
  }
}

function isNullDevice(facts: Stats): boolean {
  return facts.isCharacterDevice() && facts.rdev === statSync(devNull).rdev;
}

function otherKind(facts: Stats): FileError {
  return facts.isDirectory()
    ? new FileError("EISDIR", "a directory, not a file")
    : new FileError("EFTYPE", "not a regular file");
}

function readToEnd(file: number, mibMax: number): Buffer {
  const chunks: Buffer[] = [];
  for (let length = 0; ;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = readSync(file, chunk, 0, CHUNK_BYTES, null);
    if (count === 0) return Buffer.concat(chunks);
    length += count;
    if (length > mibMax * MIB) throw new FileError("EFBIG", `larger than ${mibMax} MiB`);
    chunks.push(chunk.subarray(0, count));
  }
}
