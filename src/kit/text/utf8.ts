// Decodes UTF-8 strictly. Replaces nothing and keeps a byte order mark, so that encoding the text restores the same bytes.

const CONTINUATION_BYTES_MAX = 3;

/** Shared, because creating a decoder costs more than decoding a line. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the number of leading bytes that form whole characters, if the bytes were truncated anywhere. */
export function wholeCharacters(bytes: Uint8Array): number {
  const start = lastStart(bytes);
  if (start < 0) return bytes.length;
  const isWhole = start + sequenceLength(bytes[start]!) <= bytes.length;
  return isWhole ? bytes.length : start;
}

/** Returns the number of leading bytes that belong to a character that began earlier. */
export function brokenStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(CONTINUATION_BYTES_MAX, bytes.length) && isContinuation(bytes[count]!)) count++;
  return count;
}

function lastStart(bytes: Uint8Array): number {
  const least = Math.max(0, bytes.length - 1 - CONTINUATION_BYTES_MAX);
  for (let at = bytes.length - 1; at >= least; at--) if (!isContinuation(bytes[at]!)) return at;
  return -1;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
