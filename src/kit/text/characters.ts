// Places in a text at which it can be cut without halving a character that takes two UTF-16 units.

/** The nearest such place at or before `at`. The text is well-formed. */
export function characterStart(text: string, at: number): number {
  return isLowHalf(text, at) ? at - 1 : at;
}

/** The place behind the character that begins at `at`. */
export function characterEnd(text: string, at: number): number {
  return isLowHalf(text, at + 1) ? at + 2 : at + 1;
}

/** Of the place behind the text, nothing is a half. */
function isLowHalf(text: string, at: number): boolean {
  return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
