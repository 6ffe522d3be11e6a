// What differs between two texts, and which line ends a text has. Pure; positions are those of a text with single-character line ends.

/** CRLF for a text that uses it throughout; LF for any other with a carriage return, which then stays a character; undefined: it has none. */
export function lineEndOf(text: string): "\r\n" | "\n" | undefined {
  if (!text.includes("\r")) return undefined;
  return /[\r\n]/.test(text.replaceAll("\r\n", "")) ? "\n" : "\r\n";
}

export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The one piece that differs, so that a cursor and the scrolling elsewhere stay. Undefined: they are the same. */
export function changeBetween(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let same = 0;
  while (
    same < shorter - from &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  ) {
    same++;
  }
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
