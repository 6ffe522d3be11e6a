// Text of others, made safe to print: nothing in it moves the cursor, reorders what stands beside it or hides.
//
// Joiners and variation selectors stay, since some scripts and emoji need them (as in names.ts). The data formats of a command (JSON, YAML)
// and content that is asked for as it is never pass through here.

const UNSAFE =
  /(?!\t|\r?\n|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
const BREAKS = /[\t\n\r]/g;
const REPLACEMENT = "\ufffd";

/** Each control, direction and invisible character becomes U+FFFD; line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(UNSAFE, REPLACEMENT);
}

/** As `visible`, for a part of a line: line ends and tabs go as well. */
export function visibleInLine(text: string): string {
  return visible(text).replace(BREAKS, REPLACEMENT);
}
