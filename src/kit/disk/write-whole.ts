// Writes all of some bytes: a single write may take less, for example on a nearly full disk.

import type { FileHandle } from "node:fs/promises";

/** `at`: the offset in the file; undefined: where the last write ended. Raises errors of the disk. */
export async function writeWhole(handle: FileHandle, bytes: Uint8Array, at?: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const place = at === undefined ? null : at + done;
    done += (await handle.write(bytes, done, bytes.length - done, place)).bytesWritten;
  }
}
