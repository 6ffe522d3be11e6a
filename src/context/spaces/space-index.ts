// The index of a space: a page that lists every document by folder, with its title. It is generated. Its entries are code, not links, so that
// the link graph shows only the links that people made.

import { compare } from "../../kit/compare.ts";
import { characterStart } from "../../kit/text/characters.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import { plural } from "../../kit/text/amounts.ts";
import { linksOf } from "../versioned-store/links.ts";

export const INDEX_PATH = "space-index.md";
/** The rest is counted, so that the page stays readable for people and tools. */
const INDEX_DOCUMENTS_MAX = 2_000;
const TITLE_CHARACTERS_MAX = 120;
/** A title comes early. Lines after these are not read. */
const TITLE_LINES_MAX = 200;

export interface IndexedDocument {
  readonly path: string;
  /** Undefined if it has none. */
  readonly title: string | undefined;
}

/** Returns the page. The same documents give the same text, in whatever order they come. */
export function indexText(documents: readonly IndexedDocument[]): string {
  const all = documents
    .filter(({ path }) => path !== INDEX_PATH)
    .toSorted((a, b) => compare(folderOf(a.path), folderOf(b.path)) || compare(a.path, b.path));
  const lines = ["---", "importance: low", "---", "", "# Index", ""];
  lines.push("Every page of this space, by folder. Do not edit this page: `cairn space index` writes it.");
  let folder: string | undefined;
  for (const { path, title } of all.slice(0, INDEX_DOCUMENTS_MAX)) {
    const own = folderOf(path);
    if (own !== folder) lines.push("", own === "" ? "## Top folder" : `## ${codeSpan(own)}`, "");
    folder = own;
    lines.push(`- ${codeSpan(path)}${title === undefined ? "" : `: ${plainText(title)}`}`);
  }
  const rest = all.length - INDEX_DOCUMENTS_MAX;
  if (rest > 0)
    lines.push(
      "",
      `${plural(rest, "more page is", "more pages are")} not listed; \`cairn file list\` shows all of them.`,
    );
  return `${lines.join("\n")}\n`;
}

/** Returns the first heading of a Markdown text, outside front matter and code. */
export function titleOf(text: string): string | undefined {
  let isFence = false;
  let isFrontMatter = false;
  for (const [index, line] of text.split("\n", TITLE_LINES_MAX).entries()) {
    const isRule = /^(?:\ufeff)?---\s*$/.test(line);
    if (isRule && (index === 0 || isFrontMatter)) isFrontMatter = index === 0;
    else if (isFrontMatter) continue;
    else if (/^\s{0,3}(?:```|~~~)/.test(line)) isFence = !isFence;
    else if (!isFence) {
      const title = /^\s{0,3}#{1,6}\s(.*)$/
        .exec(line)?.[1]
        ?.replace(/\s#+\s*$/, "")
        .trim();
      if (title) return title;
    }
  }
  return undefined;
}

/** Includes the slash; empty for the top folder, which sorts first. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Keeps the fence longer than every run of backticks in the text. CommonMark 6.1. */
function codeSpan(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  if (runs.length === 0) return `\`${text}\``;
  const fence = "`".repeat(Math.max(...runs.map((run) => run.length)) + 1);
  return `${fence} ${text} ${fence}`;
}

/** Without the characters that would make a link, code or markup of it. */
function plainText(title: string): string {
  const text = visibleInLine(title.slice(0, characterStart(title, TITLE_CHARACTERS_MAX * 2)))
    .replace(/[[\]`*<>\\]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const end = characterStart(text, TITLE_CHARACTERS_MAX);
  const short = text.length > TITLE_CHARACTERS_MAX ? `${text.slice(0, end)}…` : text;
  return linksOf(short).length === 0 ? short : short.replaceAll("/", " / ");
}
