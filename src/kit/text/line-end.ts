// The ends of lines.

/** Returns that of the first line; a line feed for a text of one line. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  return /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
}

/** Leaves out the line feed at the end of a text, for output that adds one. Spaces before it are content. */
export function withoutFinalLineFeed(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
