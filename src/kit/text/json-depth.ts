// Measures how deeply JSON is nested without parsing it, because code that walks a deep value overflows the stack.

/** Far deeper than any real value. Code that walks a value recurses or indents by depth, so a small text could cost minutes. */
export const JSON_DEPTH_MAX = 64;

/** Reports whether the text is nested too deeply to process. */
export function isTooDeep(json: string): boolean {
  return json.length > JSON_DEPTH_MAX && isDeeper(Buffer.from(json), JSON_DEPTH_MAX);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Measures JSON in UTF-8. The result for other input is arbitrary, because it is refused anyway. Skips long strings quickly. */
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

/** Returns the index of the closing quote of the string at `start`: a quote after an even number of backslashes. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return bytes.length;
}
