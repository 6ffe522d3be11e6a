// Highlights code into lines of spans with the editor's class names (highlight.css). Parsers are large and load with the first code of
// their language; until then, and for unknown languages, code is plain.

import type { LanguageDescription } from "@codemirror/language";
import { whenQuiet } from "./quiet.ts";

/** Parsing blocks a frame; longer code would be felt. */
const CODE_CHARACTERS_MAX = 150_000;
const KEPT_MAX = 60;

export interface Span {
  readonly text: string;
  /** Empty for plain text. */
  readonly class: string;
}
export type Line = readonly Span[];

function plainLines(code: string): Line[] {
  return code.split("\n").map((text) => (text === "" ? [] : [{ text, class: "" }]));
}

const kept = new Map<string, readonly Line[]>();

/** Returns a cached result of `highlightLines`. */
export function highlightedBefore(code: string, languageOrFilename: string): readonly Line[] | undefined {
  return kept.get(`${languageOrFilename}\n${code}`);
}

/** Never raises: code that cannot be highlighted is returned plain. */
export async function highlightLines(code: string, languageOrFilename: string): Promise<readonly Line[]> {
  const key = `${languageOrFilename}\n${code}`;
  const known = kept.get(key);
  if (known) return known;
  if (languageOrFilename === "" || code.length > CODE_CHARACTERS_MAX) return plainLines(code);
  const lines = await parsed(code, languageOrFilename);
  if (!lines) return plainLines(code);
  kept.set(key, lines);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  return lines;
}

async function parsed(code: string, languageOrFilename: string): Promise<Line[] | undefined> {
  try {
    // Parsers are heavier than the rest of the page, and colours can wait.
    await whenQuiet();
    const [{ languages }, { LanguageDescription }, { classHighlighter, highlightTree }] = await Promise.all([
      import("@codemirror/language-data"),
      import("@codemirror/language"),
      import("@lezer/highlight"),
    ]);
    const found: LanguageDescription | null =
      LanguageDescription.matchLanguageName(languages, languageOrFilename, false) ??
      LanguageDescription.matchFilename(languages, languageOrFilename) ??
      LanguageDescription.matchFilename(languages, `x.${languageOrFilename}`);
    if (!found) return undefined;
    const { language } = await found.load();
    const lines: Span[][] = [[]];
    const add = (text: string, name: string) => {
      for (const [index, part] of text.split("\n").entries()) {
        if (index > 0) lines.push([]);
        if (part !== "") lines.at(-1)!.push({ text: part, class: name });
      }
    };
    let end = 0;
    highlightTree(language.parser.parse(code), classHighlighter, (from, to, name) => {
      add(code.slice(end, from), "");
      add(code.slice(from, to), name);
      end = to;
    });
    add(code.slice(end), "");
    return lines;
  } catch {
    // After an update the server has other files; missing colours are no error.
    return undefined;
  }
}
