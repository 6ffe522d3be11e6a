// Measures how deeply JSON is nested without parsing it, because code that walks a deep value overflows the stack.

/** Far more than anything takes. What looks into a value recurses, or indents it by its depth: a small text could cost minutes. */
export const JSON_DEPTH_MAX = 64;

/** Is the text nested too deeply to be looked into? */
export function isTooDeep(json: string): boolean {
  return json.length > JSON_DEPTH_MAX && isDeeper(Buffer.from(json), JSON_DEPTH_MAX);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Of JSON in UTF-8; of anything else some answer, since it is refused anyway. Long texts are passed over at once. */
export function isDeeper(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    // Brackets and braces differ in one bit.
    const bracket = byte | 0x20;
    if (bracket === 0x7b) depth += 1;
    else if (bracket === 0x7d) depth -= 1;
    else if (byte === QUOTE) at = endOfText(bytes, at);
    if (depth > depthMax) return true;
  }
  return false;
}

/** Where the text that begins at `start` has its closing quote: one behind an even number of backslashes. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return bytes.length;
}
