// Our block in a file that people write, between two marker lines. Everything outside is theirs and stays byte for byte. A file with half a block
// is refused, because a guess could delete their text.

import { AppError } from "../../kit/error.ts";
import { lineEndOf } from "../../kit/text/line-end.ts";

const BEGIN = "<!-- cairn:begin -->";
const END = "<!-- cairn:end -->";
/** A line that mentions a marker in any form. */
const MENTION = /<!--\s*cairn:\s*(?:begin|end)/i;

interface Block {
  /** Offsets of the first character of the first marker, and behind the last one of the second. */
  readonly start: number;
  readonly end: number;
}

/**
 * Puts the block where it is, otherwise at the end. `preamble`: begins the file if it does not exist. Raises `invalid` for half a block, with
 * `details.line`.
 */
export function withBlock(text: string | undefined, body: string, preamble = ""): string {
  // A path in it must not read as a marker.
  if (MENTION.test(body)) throw new AppError("invalid", "a path in the block looks like one of its markers");
  const newline = lineEndOf(text ?? "");
  return placed(text, [BEGIN, ...body.trim().split("\n"), END].join(newline), newline, preamble);
}

/** Returns the same text if there is no block; undefined if nothing else remains of a file that we created. */
export function withoutBlock(text: string, preamble = ""): string | undefined {
  const block = blockIn(text);
  if (!block) return text;
  const newline = text.startsWith("\r", block.start + BEGIN.length) ? "\r\n" : "\n";
  const after = text.slice(block.end);
  const gap = after.startsWith(newline) ? newline : "";
  // At the end of a file that had no line end, two were put before the block; otherwise one, and one behind it.
  const before = withoutEnds(text.slice(0, block.start), newline, gap === "" ? 2 : 1);
  // Someone removed the empty line before the block. The text above it keeps its line end.
  const end = gap === "" || before === "" || before.endsWith("\n") ? "" : newline;
  const rest = before + end + after.slice(gap.length);
  const isCreated = gap !== "" && text.startsWith(preamble) && rest.trim() === preamble.trim();
  return isCreated && block.start === preambleEnd(preamble) ? undefined : rest;
}

export function hasBlock(text: string): boolean {
  return blockIn(text) !== undefined;
}

function placed(text: string | undefined, block: string, newline: string, preamble: string): string {
  if (text === undefined) return `${preamble}${preamble === "" ? "" : newline}${block}${newline}`;
  const old = blockIn(text);
  if (old) return text.slice(0, old.start) + block + text.slice(old.end);
  if (text === "" || text === "\ufeff") return text + block;
  return text.endsWith("\n") ? `${text}${newline}${block}${newline}` : `${text}${newline}${newline}${block}`;
}

function withoutEnds(text: string, newline: string, most: number): string {
  return most > 0 && text.endsWith(newline)
    ? withoutEnds(text.slice(0, -newline.length), newline, most - 1)
    : text;
}

function preambleEnd(preamble: string): number {
  return preamble === "" ? 0 : preamble.length + 1;
}

/** Undefined: none. Raises `invalid`. */
function blockIn(text: string): Block | undefined {
  const markers: { marker: string; line: number; start: number }[] = [];
  let start = 0;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = index + 1;
    if (MENTION.test(whole)) {
      const marker = whole.replace(/^\ufeff/, "").trim();
      if (marker !== BEGIN && marker !== END)
        throw broken(line, `looks like a marker of cairn, but is not exactly ${BEGIN} or ${END}`);
      markers.push({ marker, line, start: start + whole.indexOf("<!--") });
    }
    start += whole.length + 1;
  }
  const [first, second, third] = markers;
  if (!first) return undefined;
  if (first.marker === END) throw broken(first.line, `has ${END} without ${BEGIN} before it`);
  if (second?.marker !== END) throw broken(first.line, `has ${BEGIN} without ${END} after it`);
  if (third) throw broken(third.line, "begins a second block of cairn");
  return { start: first.start, end: second.start + END.length };
}

function broken(line: number, problem: string): AppError {
  return new AppError("invalid", `line ${line} ${problem}; repair or delete the block by hand`, { line });
}
