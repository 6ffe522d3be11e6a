// Reads an open file through its descriptor.

import { readSync } from "node:fs";

/** Returns up to `size` bytes from the start of an open file; fewer if it ends before. */
export function readAll(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const count = readSync(descriptor, bytes, at, size - at, at);
    if (count === 0) break;
    at += count;
  }
  return at === size ? bytes : bytes.subarray(0, at);
}
