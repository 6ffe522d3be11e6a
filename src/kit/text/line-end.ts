// The line end that a text uses.

/** Returns that of the first line; a line feed for a text of one line. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  return /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
}
