// Names people give to things, normalised once, at the door: one Unicode form, no outer white space, no control characters.
// Two names are the same when their keys are: a trailing space or a capital letter must not slip past a uniqueness check.

import { fieldError } from "./error.ts";

export const NAME_CHARACTERS_MAX = 100;

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Control, direction and invisible characters; joiners and variation selectors belong to some scripts and emoji. */
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

/** Invisible characters don't tell two names apart. */
export function nameKey(text: string): string {
  return text.normalize("NFKC").replace(INVISIBLE, "").trim().toLowerCase();
}
