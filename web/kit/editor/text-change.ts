// The difference between two texts, and a text's line endings. Pure; positions count each line ending as one character.

/** CRLF for a text that uses it throughout; LF if carriage returns are mixed in, which then stay characters; undefined without any. */
export function lineEndOf(text: string): "\r\n" | "\n" | undefined {
  if (!text.includes("\r")) return undefined;
  return /[\r\n]/.test(text.replaceAll("\r\n", "")) ? "\n" : "\r\n";
}

interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Returns the one piece that differs, so that cursor and scroll position elsewhere are kept; undefined if the texts are equal. */
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
