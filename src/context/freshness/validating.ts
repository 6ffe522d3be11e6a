// Sets the date of the last validation in the text of a document and keeps every other byte. Pure. An edit that would change anything else in the
// front matter is refused, so that no way of writing YAML has to be understood here.

import { isDeepStrictEqual } from "node:util";
import { lineEndOf } from "../../kit/text/line-end.ts";
import { readFrontMatter, type FrontMatterProblem } from "../versioned-store/front-matter.ts";

const FIELD = "last-validated";
/** The name, the white space after the colon, and a comment stay. */
const LINE =
  /^(?<name>(?:last-validated|"last-validated"|'last-validated')[ \t]*:)(?<space>[ \t]*)[^\r\n]*?(?<comment>[ \t]+#[^\r\n]*)?(?<end>\r?)$/m;

export type Validation =
  | { readonly text: string; readonly changed: boolean }
  /** `not_editable`: the field is written in a way that only a person can edit. */
  | { readonly problem: FrontMatterProblem | "not_editable" };

/** `date`: `2026-11-22`. */
export function withValidation(text: string, date: string): Validation {
  const reading = readFrontMatter(text);
  if (!reading) return { text: withFrontMatter(text, date), changed: true };
  if ("problem" in reading) return reading;
  const { fields, from, to } = reading;
  if (fields[FIELD] === date) return { text, changed: false };
  const written = text.slice(from, to);
  const edited = Object.hasOwn(fields, FIELD)
    ? written.replace(LINE, (...match) => {
        const { name, space, comment = "", end } = match.at(-1) as Record<string, string>;
        return [name, space === "" ? " " : space, date, comment, end].join("");
      })
    : `${written}${FIELD}: ${date}${lineEndOf(text)}`;
  const result = text.slice(0, from) + edited + text.slice(to);
  const after = readFrontMatter(result);
  const isRight =
    after !== undefined &&
    "fields" in after &&
    after.to === from + edited.length &&
    isDeepStrictEqual({ ...after.fields }, { ...fields, [FIELD]: date });
  return isRight ? { text: result, changed: true } : { problem: "not_editable" };
}

function withFrontMatter(text: string, date: string): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const end = lineEndOf(text);
  return `${mark}---${end}${FIELD}: ${date}${end}---${end}${text.slice(mark.length)}`;
}
