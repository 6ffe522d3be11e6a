// Token estimates for what providers have not counted: the o200k encoding. The encoder is large, so it is loaded when first asked for;
// counting yields now and then, so that a long conversation does not hold up the streams of others.

import { turnOfOthers } from "../../kit/clock.ts";

const COUNTS_KEPT_MAX = 100_000;
/** A few milliseconds' worth of counting. */
const SLICE_CHARACTERS = 40_000;
const TEXT_KEPT_CHARACTERS_MAX = 200;

const counts = new Map<string, number>();

/** `keys[i]` names an immutable text (an entry), so that it is counted once; undefined: it may change. */
export async function estimateTokens(
  texts: readonly string[],
  keys: readonly (string | undefined)[],
): Promise<number[]> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const result: number[] = [];
  let counted = 0;
  for (const [index, text] of texts.entries()) {
    const key = keys[index] ?? (text.length <= TEXT_KEPT_CHARACTERS_MAX ? `text:${text}` : undefined);
    const known = remembered(key);
    result.push(known ?? remember(key, countTokens(text, { disallowedSpecial: new Set() })));
    if (known === undefined) counted += text.length;
    if (counted < SLICE_CHARACTERS) continue;
    await turnOfOthers();
    counted = 0;
  }
  return result;
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
