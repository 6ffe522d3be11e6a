// Turns a query of words into an expression of the text index. Each word is quoted, so that no query can use the syntax of the index.

import { badParameter, type AppError } from "../../kit/error.ts";
import { QUERY_CHARACTERS_MAX, TERMS_MAX } from "./schema.ts";

/** A phrase (its closing quotation mark may be missing), or a word; both with an optional star. */
const TERM = /"([^"]*)(?:"(\*?)|$)|([^\s"]+)/gu;
const QUOTES = /[“”„«»]/gu;
const CONTROLS = /\p{Cc}/gu;
/** The characters that the tokenizer of the index takes for parts of words. */
const LETTER = /[\p{L}\p{N}\p{Co}]/u;
const LAST_WORD = /[\p{L}\p{N}\p{Co}\p{M}]+$/u;
/** A shorter prefix would collect most words of the index. */
const PREFIX_LETTERS_MIN = 2;

/**
 * Words, "phrases" and prefixes (`word*`), all of which must match. An unclosed quotation mark quotes the rest. Raises `invalid` for a query without
 * words, with too many, or with a star elsewhere than at the end of a word.
 */
export function indexExpression(query: string): string {
  requireShort(query);
  const plain = query.normalize("NFC").replace(QUOTES, '"').replace(CONTROLS, " ");
  const terms: string[] = [];
  for (const [, phrase, phraseStar, word] of plain.matchAll(TERM)) {
    const text = phrase ?? word!;
    const isPrefix = phraseStar === "*" || (phrase === undefined && text.endsWith("*"));
    const term = termOf(phrase === undefined && isPrefix ? text.slice(0, -1) : text, isPrefix);
    if (term !== undefined) terms.push(term);
  }
  if (terms.length === 0)
    throw badQuery("contains no word to search for; search for punctuation with a regular expression");
  if (terms.length > TERMS_MAX) throw badQuery(`at most ${TERMS_MAX} words and phrases`);
  return terms.join(" AND ");
}

/** Undefined: the text has no word. */
function termOf(text: string, isPrefix: boolean): string | undefined {
  if (text.includes("*")) throw badQuery(`"${text}": * stands at the end of a word only`);
  if (isPrefix && (LAST_WORD.exec(text)?.[0].length ?? 0) < PREFIX_LETTERS_MIN)
    throw badQuery(`"${text}*": write at least ${PREFIX_LETTERS_MIN} letters before *`);
  return LETTER.test(text) ? `"${text}"${isPrefix ? " *" : ""}` : undefined;
}

/** Raises `invalid`. */
export function requireShort(query: string): void {
  if (query.length > QUERY_CHARACTERS_MAX) throw badQuery(`at most ${QUERY_CHARACTERS_MAX} characters`);
}

export function badQuery(problem: string): AppError {
  return badParameter("q", problem);
}
