// Turns whatever someone types into an expression of the index, and into words to find in a text. There is no syntax to get wrong: words,
// "phrases", and a prefix while the last word is being typed. Pure.

import { QUERY_CHARACTERS_READ, WORDS_READ } from "./schema.ts";
import { IS_UNSPACED, split } from "./texts.ts";

/** A word, or words that follow each other. */
export interface Term {
  /** As `folded`. */
  readonly words: readonly string[];
  /** It may begin, or end, in the middle of a word. */
  readonly isOpenBefore: boolean;
  readonly isOpenAfter: boolean;
}

export interface Terms {
  /** For the index; contains nothing but quoted words. */
  readonly expression: string;
  /** The query, `folded`. */
  readonly plain: string;
  readonly terms: readonly Term[];
}

const QUOTES = /[“”„«»]/gu;
/** A phrase (its closing quotation mark may be missing), or a word. */
const TERM = /"([^"]*)(?:"|$)|([^\s"]+)/gu;
/** The characters that the tokenizer takes for parts of words, and those that follow them. */
const WORDS = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
const LETTER = /[\p{L}\p{N}\p{Co}]/u;
const OTHERS = /\p{C}/gu;
const WIDE = /\P{ASCII}/u;
const EACH_WIDE = /\P{ASCII}/gu;
/** The index has no list of shorter prefixes, and most texts contain a word with any letter. */
const PREFIX_LETTERS_MIN = 2;

/** Undefined: the query has no word. */
export function termsOf(query: string): Terms | undefined {
  const given = query.slice(0, QUERY_CHARACTERS_READ).toWellFormed().normalize("NFC");
  const text = given.replace(QUOTES, '"').replaceAll(OTHERS, " ");
  const isTyping = !/[\s"]$/u.test(text);
  const found = [...text.matchAll(TERM)]
    .map(([, phrase, word]) => ({ text: phrase ?? word!, isPhrase: phrase !== undefined }))
    .filter(({ text: one }) => LETTER.test(one))
    .slice(0, WORDS_READ);
  const read = found.flatMap(({ text: one, isPhrase }, index) => {
    const isTyped = isTyping && !isPhrase && index === found.length - 1;
    return termOf(one, { isTyped, isAlone: found.length === 1 }) ?? [];
  });
  if (read.length === 0) return undefined;
  return {
    expression: read.map(({ expression }) => expression).join(" AND "),
    plain: folded(found.map(({ text: one }) => one).join(" ")),
    terms: read.map(({ term }) => term),
  };
}

/** Without case and accents, each character where it was, so that a match in it is one in the text. */
export function folded(text: string): string {
  const lower = sameLength(text, text.toLowerCase());
  return WIDE.test(lower) ? lower.replaceAll(EACH_WIDE, foldedCharacter) : lower;
}

/** Reports whether the character at this place is part of a word. */
export function isLetter(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  return code !== undefined && LETTER.test(String.fromCodePoint(code));
}

/** While a word is typed, its single letter is not yet looked for: undefined, unless it is all there is. */
function termOf(
  text: string,
  { isTyped, isAlone }: { isTyped: boolean; isAlone: boolean },
): { expression: string; term: Term } | undefined {
  const written = text.match(WORDS)!.filter((word) => LETTER.test(word));
  const last = written.at(-1)!;
  // The index takes each character before it for a word.
  const tail = last.split(IS_UNSPACED).at(-1)!;
  const isBegun = isTyped && LETTER.test(tail);
  const isPrefix = isBegun && [...tail].length >= PREFIX_LETTERS_MIN;
  const isShort = isBegun && !isPrefix && tail === last;
  if (isShort && !isAlone && written.length === 1) return undefined;
  const words = isShort && written.length > 1 ? written.slice(0, -1) : written;
  return {
    expression: `"${split(words.join(" "))}"${isPrefix ? " *" : ""}`,
    term: {
      words: words.map(folded),
      isOpenBefore: words[0]!.search(IS_UNSPACED) === 0,
      isOpenAfter: isPrefix || !LETTER.test(words.at(-1)!.split(IS_UNSPACED).at(-1)!),
    },
  };
}

function foldedCharacter(character: string): string {
  return sameLength(character, character.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase());
}

function sameLength(text: string, changed: string): string {
  return changed.length === text.length ? changed : text;
}
