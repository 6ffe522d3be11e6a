// A coarse difference in unified format: one hunk with everything between the common start and end of two texts. Works on the texts as they are,
// because a list of a text's lines takes many times its size.

const LINE_FEED = 0x0a;
const NO_END = "\n\\ No newline at end of file\n";

interface WholeBlock {
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  readonly text: string;
}

/** `context`: the lines shown around the block. Takes linear time. */
export function wholeBlock(
  names: { readonly old: string; readonly new: string },
  before: string,
  after: string,
  context: number,
): WholeBlock {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const [oldEnd, newEnd] = [before.length - end, after.length - end];
  const shownFrom = linesBack(before, start, context);
  const shownTo = linesOn(before, oldEnd, context);
  const [leading, trailing] = [linesIn(before, shownFrom, start), linesIn(before, oldEnd, shownTo)];
  const [removed, added] = [linesIn(before, start, oldEnd), linesIn(after, start, newEnd)];
  const first = linesIn(before, 0, shownFrom) + 1;
  const around = leading + trailing;
  const ranges = `-${rangeOf(first, removed + around)} +${rangeOf(first, added + around)}`;
  const head = `--- ${names.old}\n+++ ${names.new}\n@@ ${ranges} @@\n`;
  const text =
    head +
    signed(" ", before.slice(shownFrom, start)) +
    signed("-", before.slice(start, oldEnd)) +
    signed("+", after.slice(start, newEnd)) +
    signed(" ", before.slice(oldEnd, shownTo));
  return { added, removed, text };
}

/** An empty range begins after the line before it. */
function rangeOf(first: number, lines: number): string {
  return `${lines === 0 ? first - 1 : first},${lines}`;
}

/** Counts the lines of a part; the last one may have no line feed. */
export function linesIn(text: string, from: number, to: number): number {
  let count = 0;
  let at = from;
  while (at < to) {
    const next = text.indexOf("\n", at);
    count += 1;
    if (next < 0 || next >= to) break;
    at = next + 1;
  }
  return count;
}

/** The characters of the whole lines that both texts begin with. */
function commonStart(before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  let lineStart = 0;
  let at = 0;
  for (; at < shorter; at += 1) {
    const character = before.charCodeAt(at);
    if (character !== after.charCodeAt(at)) return lineStart;
    if (character === LINE_FEED) lineStart = at + 1;
  }
  // A last line without a line feed is whole only if neither text goes on.
  return before.length === after.length ? at : lineStart;
}

/** The characters of the whole lines that both texts end with, after the first `start`. */
function commonEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let whole = 0;
  for (let back = 1; back <= most; back += 1) {
    if (before.charCodeAt(before.length - back) !== after.charCodeAt(after.length - back)) return whole;
    if (beginsLine(before, before.length - back) && beginsLine(after, after.length - back)) whole = back;
  }
  return whole;
}

function beginsLine(text: string, at: number): boolean {
  return at === 0 || text.charCodeAt(at - 1) === LINE_FEED;
}

/** Returns the beginning of the last `count` lines before `at`, the beginning of a line. */
function linesBack(text: string, at: number, count: number): number {
  let from = at;
  for (let lines = 0; lines < count && from > 0; lines += 1)
    from = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
  return from;
}

/** Returns the end of the first `count` lines from `at` on, the beginning of a line. */
function linesOn(text: string, at: number, count: number): number {
  let to = at;
  for (let lines = 0; lines < count && to < text.length; lines += 1) {
    const next = text.indexOf("\n", to);
    to = next < 0 ? text.length : next + 1;
  }
  return to;
}

/** Puts the sign before each line. */
function signed(sign: string, part: string): string {
  if (part === "") return "";
  const isWhole = part.endsWith("\n");
  const lines = isWhole ? part.slice(0, -1) : part;
  return `${sign}${lines.replaceAll("\n", `\n${sign}`)}${isWhole ? "\n" : NO_END}`;
}
