// Splits a command from an environment variable (`code --wait`, `'my editor/run' -w`) into words. Quotes and backslashes work as in a shell;
// no other shell syntax does.

import { AppError } from "../error.ts";

const BLANK = /\s/;

/** `name` is the variable, for the error. On Windows a backslash is part of a path. Raises `invalid`. */
export function commandWords(name: string, text: string, system: string = process.platform): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (character === quote) quote = undefined;
    else if (character === "\\" && quote !== "'" && system !== "win32") {
      if (index + 1 === text.length) throw new AppError("invalid", `${name}: ends with a single backslash`);
      word = (word ?? "") + text[++index]!;
    } else if (quote !== undefined) word += character;
    else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (!BLANK.test(character)) word = (word ?? "") + character;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (quote !== undefined) throw new AppError("invalid", `${name}: the quote ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  return words;
}

/** Characters that mean themselves in every shell. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;
const PLAIN_WORD_ON_WINDOWS = /^[A-Za-z0-9_@+=:,./\\~-]+$/;

/** Writes words as one command of a shell, each as it is. On Windows, paths have no quotes in them. */
export function commandText(words: readonly string[], system: string = process.platform): string {
  const quoted = (word: string) => {
    if (system === "win32") return PLAIN_WORD_ON_WINDOWS.test(word) ? word : `"${word}"`;
    return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  };
  return words.map(quoted).join(" ");
}
