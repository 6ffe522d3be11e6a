// Invisible characters in the names of new files: two names that look alike must not be two documents. Names that exist stay usable, so this is no
// part of paths.ts.
//
// Source of the properties: Unicode Standard Annex #44; of emoji sequences: Unicode Technical Standard #51.

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
/** Scripts whose letters take another form beside a joiner. */
const JOINING = (
  "Arabic Syriac Nko Mongolian Adlam Devanagari Bengali Gurmukhi Gujarati " +
  "Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan"
).split(" ");
/**
 * Invisible characters where they change how a name is written: joiners in scripts that need them (Persian, Indic) and between emoji, the form of
 * an emoji, of a Han or of a Mongolian character, and the three flags of emoji that consist of tags.
 */
const IN_PLACE = new RegExp(
  [
    String.raw`(?<=[${JOINING.map((script) => String.raw`\p{scx=${script}}`).join("")}])[\u200c\u200d](?![\u200c\u200d])`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}])[\ufe0e\ufe0f]`,
    String.raw`(?<=[#0-9])\ufe0f(?=\u20e3)`,
    String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
    String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180f]`,
    String.raw`(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  ].join("|"),
  "gu",
);
/** Returns the problem of a new name or path; undefined if every invisible character in it changes how it is written. */
export function hiddenProblem(path: string): string | undefined {
  if (!INVISIBLE.test(path) || !INVISIBLE.test(path.replace(IN_PLACE, ""))) return undefined;
  return "must not contain invisible characters";
}
