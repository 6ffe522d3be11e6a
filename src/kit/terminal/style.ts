// Styles for text on a terminal. A styled text carries marks that the output turns into the terminal's sequences, or drops. The marks are halves of
// surrogate pairs: no decoded text holds them, so the text of others has no style of its own.

const SEQUENCES = {
  bold: "\u001b[1m",
  dim: "\u001b[2m",
  red: "\u001b[31m",
  green: "\u001b[32m",
  cyan: "\u001b[36m",
} as const;
export type Style = keyof typeof SEQUENCES;

const END = "\ud800";
const END_SEQUENCE = "\u001b[0m";
const MARKS = Object.fromEntries(
  Object.keys(SEQUENCES).map((style, index) => [style, String.fromCharCode(0xd801 + index)]),
) as Record<Style, string>;
const STYLE_OF = new Map(Object.entries(MARKS).map(([style, mark]) => [mark, SEQUENCES[style as Style]]));
// With the flag, a mark is never the first half of a character.
const MARK = /([\ud800-\ud80f])/u;

let areShown = false;

/** Sets whether the terminal shows styles; by default it shows none. */
export function showStyles(wanted: boolean): void {
  areShown = wanted;
}

/** Styles do not nest. Where none are shown, the text has no marks: with them, a long table takes twice the memory. */
export function styled(style: Style, text: string): string {
  return areShown ? MARKS[style] + text + END : text;
}

/** `clean` makes the text between the marks safe. */
export function painted(text: string, clean: (part: string) => string): string {
  if (!areShown) return clean(text);
  return text
    .split(MARK)
    .map((part, index) => {
      if (index % 2 === 0) return clean(part);
      return part === END ? END_SEQUENCE : (STYLE_OF.get(part) ?? "");
    })
    .join("");
}
