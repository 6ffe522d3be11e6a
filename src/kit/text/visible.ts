// Makes untrusted text safe to print: it cannot move the cursor, reorder its surroundings or hide.
//
// Keeps joiners and variation selectors, because some scripts and emoji need them (as in names.ts). Data formats (JSON, YAML) and raw content
// do not pass through here.

const UNSAFE =
  /(?!\t|\r?\n|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
/** Nearly all text is plain, and long tables are: looking is much faster than replacing. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
const PLAIN_IN_LINE = /^[\x20-\x7e]*$/;
const BREAKS = /[\t\n\r]/g;
const REPLACEMENT = "\ufffd";

/** Each control, bidirectional and invisible character becomes U+FFFD; line ends and tabs stay. */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, REPLACEMENT);
}

/** As `visible`, for a part of a line: also replaces line ends and tabs. */
export function visibleInLine(text: string): string {
  return PLAIN_IN_LINE.test(text) ? text : visible(text).replace(BREAKS, REPLACEMENT);
}

/** As `visible`, for a line with JSON in it: each such character becomes its escape, so that the JSON means the same. */
export function escapedInLine(line: string): string {
  return PLAIN.test(line) ? line : line.replace(UNSAFE, (character) => escapes(character));
}

function escapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
