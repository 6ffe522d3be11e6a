// Reads the outline of a zstd frame, without decompressing anything (RFC 8878, 3.1.1).

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** The bytes of a dictionary's id and of the size of the content, by their codes in the descriptor. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const SIZE_BYTES = [0, 2, 4, 8];
/** A size of two bytes starts here. */
const SHORT_SIZE_FROM = 256;
const CHECKSUM_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const REPEATED_BYTE = 1;

/** Reports whether the bytes are exactly one frame that says how large its content is: `size` bytes. */
export function isFrameOf(bytes: Uint8Array, size: number): boolean {
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) return false;
  const descriptor = bytes[MAGIC.length]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeCode = descriptor >> 6;
  const sizeBytes = sizeCode === 0 && isSingleSegment ? 1 : SIZE_BYTES[sizeCode]!;
  const sizeAt = MAGIC.length + 1 + (isSingleSegment ? 0 : 1) + DICTIONARY_ID_BYTES[descriptor & 0x3]!;
  if (sizeBytes === 0 || sizeOf(bytes, sizeAt, sizeBytes) !== size) return false;
  const end = endOfBlocks(bytes, sizeAt + sizeBytes);
  return end + ((descriptor & 0x4) !== 0 ? CHECKSUM_BYTES : 0) === bytes.length;
}

function sizeOf(bytes: Uint8Array, at: number, count: number): number {
  let size = 0;
  for (let index = count - 1; index >= 0; index -= 1) size = size * 256 + bytes[at + index]!;
  return count === 2 ? size + SHORT_SIZE_FROM : size;
}

/** Returns the place after the last block; beyond the end of the bytes if there is none. */
function endOfBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at + BLOCK_HEADER_BYTES <= bytes.length) {
    const header = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    const isRepeated = ((header >> 1) & 0x3) === REPEATED_BYTE;
    at += BLOCK_HEADER_BYTES + (isRepeated ? 1 : header >> 3);
    if ((header & 0x1) !== 0) return at;
  }
  return Infinity;
}
