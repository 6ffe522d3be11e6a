// Token estimates for what providers have not counted: the o200k encoding. The encoder is large, so it is loaded when first asked for;
// counting yields now and then, so that a long conversation does not hold up the streams of others.

import { turnOfOthers } from "../../kit/clock.ts";

const COUNTS_KEPT_MAX = 100_000;
/** A few milliseconds' worth of counting, whatever the text. */
const SLICE_CHARACTERS = 16_384;
/** The encoder takes the square of the length of a word, and some text is one word: it is counted in pieces, which may cost a token each. */
const PIECE_CHARACTERS = 512;
const TEXT_KEPT_CHARACTERS_MAX = 200;

const counts = new Map<string, number>();
/** Since others last had their turn. */
let counted = 0;

/** `keys[i]` names an immutable text (an entry), so that it is counted once; undefined: it may change. */
export async function estimateTokens(
  texts: readonly string[],
  keys: readonly (string | undefined)[],
): Promise<number[]> {
  const result: number[] = [];
  for (const [index, text] of texts.entries()) {
    const key = keys[index] ?? (text.length <= TEXT_KEPT_CHARACTERS_MAX ? `text:${text}` : undefined);
    result.push(remembered(key) ?? remember(key, await countOf(text)));
  }
  return result;
}

async function countOf(text: string): Promise<number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  let tokens = 0;
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start);
    tokens += countTokens(text.slice(start, end), { disallowedSpecial: new Set() });
    counted += end - start;
    start = end;
    if (counted < SLICE_CHARACTERS) continue;
    await turnOfOthers();
    counted = 0;
  }
  return tokens;
}

/** Before a space, where a token begins anyway; within a word only when there is none. */
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const space = text.lastIndexOf(" ", end);
  return space > start ? space : end;
}

function remembered(key: string | undefined): number | undefined {
  return key === undefined ? undefined : counts.get(key);
}

function remember(key: string | undefined, count: number): number {
  if (key === undefined) return count;
  if (counts.size >= COUNTS_KEPT_MAX) counts.clear();
  counts.set(key, count);
  return count;
}
