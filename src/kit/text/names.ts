// Normalizes the names that people enter: one Unicode form, no surrounding white space, no control characters.
// Two names are equal if their keys are, so that a trailing space or a capital letter cannot bypass a uniqueness check.

import { fieldError } from "../error.ts";

export const NAME_CHARACTERS_MAX = 100;

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Control, direction and invisible characters. Joiners and variation selectors are allowed: some scripts and emoji need them. */
const UNFIT =
  /[\p{Cc}\p{Cs}\p{Bidi_Control}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/u;

export interface Name {
  readonly text: string;
  readonly key: string;
}

/** Raises `invalid` naming the field. Length is counted in code points. */
export function parseName(field: string, input: string): Name {
  const text = input.normalize("NFC").trim();
  if (text === "") throw fieldError("invalid", field, "must not be empty");
  if ([...text].length > NAME_CHARACTERS_MAX) {
    throw fieldError("invalid", field, `at most ${NAME_CHARACTERS_MAX} characters`);
  }
  if (UNFIT.test(text)) {
    throw fieldError("invalid", field, "must not contain control or invisible characters");
  }
  return { text, key: nameKey(text) };
}

/** Cuts the name where it would be too long with the suffix. */
export function suffixed(name: string, suffix: string): string {
  return (
    [...name]
      .slice(0, NAME_CHARACTERS_MAX - suffix.length)
      .join("")
      .trimEnd() + suffix
  );
}

/**
 * The name of a file as people may see it: without a path and unfit characters, cut in front of its extension. Undefined if nothing is left.
 * Length in code points.
 */
export function fileName(input: string, charactersMax: number): string | undefined {
  const last = input.toWellFormed().normalize("NFC").split(/[/\\]/).at(-1)!;
  const characters = [...last]
    .filter((character) => !UNFIT.test(character))
    .join("")
    .trim();
  if (characters === "" || characters === "." || characters === "..") return undefined;
  const [...letters] = characters;
  if (letters.length <= charactersMax) return characters;
  const extension = /\.[^.]{1,16}$/.exec(characters)?.[0] ?? "";
  return [...letters.slice(0, charactersMax - [...extension].length), extension].join("");
}

/** Ignores invisible characters, so that they cannot distinguish two names. */
export function nameKey(text: string): string {
  return text.normalize("NFKC").replace(INVISIBLE, "").trim().toLowerCase();
}
