// The files of an archive, measured while they are read.

import type { Source } from "../disk/tar.ts";
import type { FrozenFile } from "../storage/frozen-copy.ts";
import type { Member } from "./schema.ts";

const READ_BYTES = 1024 * 1024;

/** Adds the hash of each file to `members` once it was read. `onBytes`: the bytes read since the last call. */
export function measured(source: Source, members: Member[], onBytes: (count: number) => void): Source {
  return { ...source, content: measuredContent(source, members, onBytes) };
}

async function* measuredContent(
  { name, size, content }: Source,
  members: Member[],
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of content) {
    hasher.update(chunk);
    onBytes(chunk.length);
    yield chunk;
  }
  members.push({ name, size, sha256: hasher.digest("hex") });
}

/** Yields the first `size` bytes of a file, or fewer at its end. */
export async function* chunksOf({
  size,
  read,
}: Pick<FrozenFile, "size" | "read">): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size;) {
    // A new buffer each time, because the previous one may still be queued for compression.
    const chunk = new Uint8Array(Math.min(READ_BYTES, size - at));
    const count = await read(chunk, at);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    at += count;
  }
}
