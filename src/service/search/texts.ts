// Texts as they are indexed. Scripts without spaces between words are split into characters, because the tokenizer would take a sentence for one
// word; a query for several of them becomes a phrase. Pure.

import { characterStart } from "../../kit/text/characters.ts";
import { PIECE_CHARACTERS, PIECES_MAX } from "./schema.ts";

/** Between characters of such scripts. The tokenizer takes it for a space, and it is removed from what is shown. */
const SPLIT = "\u001f";
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const EACH_UNSPACED = new RegExp(`[${UNSPACED}]`, "gu");
export const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");

/** Returns the pieces to index. Each keeps whole characters and, where it can, whole lines. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length && pieces.length < PIECES_MAX;) {
    const end = pieceEnd(text, from);
    pieces.push(split(text.slice(from, end)));
    from = end;
  }
  return pieces;
}

/** Adds spaces where the tokenizer needs them. */
export function split(text: string): string {
  const plain = text.replaceAll(SPLIT, " ");
  return IS_UNSPACED.test(plain) ? plain.replace(EACH_UNSPACED, `${SPLIT}$&${SPLIT}`) : plain;
}

/** Undoes `split`. */
export function joined(indexed: string): string {
  return indexed.replaceAll(SPLIT, "");
}

function pieceEnd(text: string, from: number): number {
  const end = from + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf("\n", end);
  if (line > from + PIECE_CHARACTERS / 2) return line + 1;
  const space = text.lastIndexOf(" ", end);
  if (space > from + PIECE_CHARACTERS / 2) return space + 1;
  return characterStart(text, end);
}
