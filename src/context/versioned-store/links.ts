// Extracts the links of a Markdown document: [[name]], [[name|alias]], [text](path#anchor), [label]: path and bare paths (./x, a/b.md), outside
// comments and code (between backticks, in fences, indented). Targets are resolved on request, not here, because they change with other files.
// Every step takes linear time on any text: no expression here may search for its end from many starting points.

import { AppError } from "../../kit/error.ts";
import { IndentedCode } from "./indented-code.ts";

export const linkKinds = ["wiki", "markdown", "path"] as const;

export interface Link {
  readonly kind: (typeof linkKinds)[number];
  /** As written, without alias and anchor, percent-decoded. */
  readonly target: string;
  /** From 1. */
  readonly line: number;
}

export const LINKS_PER_DOCUMENT_MAX = 5_000;
/** More cannot be resolved in bounded memory, so the graph of such a space is refused. */
export const LINKS_PER_SPACE_MAX = 2_000_000;
const TARGET_CHARACTERS_MAX = 1_024;
/** The rest of a longer document or line is ignored: either the limit of links is reached before, or people did not write it. */
const TEXT_CHARACTERS_MAX = 1024 * 1024;
const LINE_CHARACTERS_MAX = 64 * 1024;

/** Matches inside lists and block quotes too. */
const FENCE = /^[\s>]*(`{3,}|~{3,})/;
const WIKI = /\[\[([^\][|#]+)(?:#[^\][|]*)?(?:\|[^\][]*)?\]\]/g;
/** Matches from the closing bracket of the link text on, because the text may be anything. CommonMark 6.3. */
const MARKDOWN =
  /\]\(\s*(<[^<>]+>|[^\s()<][^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/g;
/** A link reference definition, CommonMark 4.7, also inside lists and block quotes; `[^1]:` is a footnote. */
const DEFINITION =
  /^[\s>]*\[(?!\^)[^\][]{1,999}\]:\s*(<[^<>]+>|[^\s<]\S*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/;
const TOKEN = /[\p{L}\p{N}\p{M}_.@/-]+/gu;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const EXTENSION_CHARACTERS_MAX = 9;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** A token after one of these is part of something else: a URL, a query, a link, an HTML attribute. */
const NO_PATH_BEHIND = ":([<`=&?#%~\\";

export function tooManyLinks(): AppError {
  return new AppError("too_large", `the documents of the space have more than ${LINKS_PER_SPACE_MAX} links`, {
    limit: LINKS_PER_SPACE_MAX,
  });
}

export function linksOf(text: string): Link[] {
  // Fast path: without either character there is no link.
  if (!text.includes("[") && !text.includes("/")) return [];
  const links: Link[] = [];
  let fence: string | undefined;
  let inComment = false;
  const indented = new IndentedCode();
  let line = 0;
  for (const whole of text.slice(0, TEXT_CHARACTERS_MAX).split(/\r?\n/)) {
    line += 1;
    const written = whole.slice(0, LINE_CHARACTERS_MAX);
    if (fence === undefined && !inComment && indented.takes(written)) continue;
    const next = inComment ? undefined : fenceAfter(fence, written);
    const isFenced = fence !== undefined || next !== undefined;
    fence = next;
    if (isFenced) {
      indented.interrupt();
      continue;
    }
    const said = withoutComments(inComment ? written : withoutCode(written), inComment);
    inComment = said.inComment;
    if (said.text.includes("[") || said.text.includes("/"))
      collect(withoutUrls(withoutEscapes(said.text)), line, links);
    if (links.length >= LINKS_PER_DOCUMENT_MAX) return links.slice(0, LINKS_PER_DOCUMENT_MAX);
  }
  return links;
}

/** Returns the fence that is open after this line; undefined: none. CommonMark 4.5. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return open;
  const match = FENCE.exec(line);
  if (!match) return open;
  const mark = match[1]!;
  const rest = line.slice(match[0].length);
  // The rest of an opening ``` line has no backtick; otherwise it is a code span.
  if (open === undefined) return mark.startsWith("`") && rest.includes("`") ? undefined : mark;
  return mark[0] === open[0] && mark.length >= open.length && rest.trim() === "" ? undefined : open;
}

/** Collects the links of one line, in order. */
function collect(line: string, number: number, links: Link[]): void {
  const found: { at: number; link: Link }[] = [];
  let rest = line;
  const add = (match: RegExpExecArray, kind: Link["kind"], target: string | undefined) => {
    if (target)
      found.push({
        at: match.index,
        link: { kind, target: target.slice(0, TARGET_CHARACTERS_MAX), line: number },
      });
  };
  const definition = line.includes("]:") ? DEFINITION.exec(line) : null;
  if (definition) {
    add(definition, "markdown", markdownTarget(definition[1]!));
    rest = rest.replace(DEFINITION, blank);
  }
  if (line.includes("[[")) {
    for (const match of line.matchAll(WIKI)) add(match, "wiki", wikiTarget(match[1]!));
    rest = rest.replace(WIKI, blank);
  }
  if (rest.includes("](")) {
    const first = line.indexOf("[");
    for (const match of rest.matchAll(MARKDOWN))
      if (first >= 0 && first < match.index) add(match, "markdown", markdownTarget(match[1]!));
    rest = rest.replace(MARKDOWN, blank);
  }
  if (rest.includes("/"))
    for (const match of rest.matchAll(TOKEN)) add(match, "path", barePath(match[0], rest[match.index - 1]));
  found.sort((a, b) => a.at - b.at);
  for (const { link } of found) links.push(link);
}

/** In a table, the bar before the alias is written `\|`. */
function wikiTarget(written: string): string {
  return (written.endsWith("\\") ? written.slice(0, -1) : written).trim();
}

function markdownTarget(written: string): string | undefined {
  const inner = written.startsWith("<") ? written.slice(1, -1).trim() : written;
  // External, within this document, or site-relative: not a link to a file of the space.
  if (SCHEME.test(inner) || inner.startsWith("#") || inner.startsWith("//")) return undefined;
  return decoded(inner.split(/[?#]/, 1)[0]!);
}

/** Accepts `./x`, `../x`, and paths with a directory and an extension. */
function barePath(token: string, before: string | undefined): string | undefined {
  if (!token.includes("/") || token.startsWith("/") || token.startsWith("www.") || token.includes("//"))
    return undefined;
  if (before !== undefined && NO_PATH_BEHIND.includes(before)) return undefined;
  let end = token.length;
  while (token[end - 1] === ".") end -= 1;
  const path = token.slice(0, end);
  if (path.startsWith("./") || path.startsWith("../")) return /[^./]/.test(path) ? path : undefined;
  const isPath = path.includes("/") && EXTENSION.test(path.slice(-EXTENSION_CHARACTERS_MAX));
  return isPath && !path.startsWith("-") ? path : undefined;
}

/** Blanks code spans: from a run of backticks to the next run of the same length on the line. */
function withoutCode(line: string): string {
  if (!line.includes("`")) return line;
  const runs = [...line.matchAll(/`+/g)].map((match) => ({ at: match.index, length: match[0].length }));
  // Walk backwards to find the next run of equal length for each run.
  const nextOf = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index--) {
    closing[index] = nextOf.get(runs[index]!.length) ?? -1;
    nextOf.set(runs[index]!.length, index);
  }
  const kept: string[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const close = closing[index]!;
    if (close < 0) continue;
    const end = runs[close]!.at + runs[close]!.length;
    kept.push(line.slice(from, runs[index]!.at), " ".repeat(end - runs[index]!.at));
    from = end;
    index = close;
  }
  return kept.join("") + line.slice(from);
}

/**
 * Blanks comments. One that begins a line may end on a later line, or with the document; any other ends on its own line. CommonMark 4.6 and
 * 6.6. `inComment`: whether the line begins, or the next line begins, inside one.
 */
function withoutComments(line: string, inComment: boolean): { text: string; inComment: boolean } {
  if (!inComment && !line.includes("<!--")) return { text: line, inComment };
  const kept: string[] = [];
  let from = 0;
  let start = inComment ? 0 : line.indexOf("<!--");
  while (start >= 0) {
    const opening = inComment && start === 0 ? 0 : "<!--".length;
    const close = line.indexOf("-->", start + opening);
    if (close < 0) {
      const begins = line.slice(0, start).trim() === "";
      return begins
        ? { text: kept.join(""), inComment: true }
        : { text: kept.join("") + line.slice(from), inComment: false };
    }
    const end = close + "-->".length;
    kept.push(line.slice(from, start), " ".repeat(end - start));
    from = end;
    start = line.indexOf("<!--", end);
  }
  return { text: kept.join("") + line.slice(from), inComment: false };
}

/** Blanks escaped brackets, which begin and end no link. */
function withoutEscapes(line: string): string {
  return line.includes("\\") ? line.replace(/\\[\\[\]]/g, blank) : line;
}

/** Blanks URLs after the scheme, so that nothing in them looks like a path. */
function withoutUrls(line: string): string {
  return line.includes("://")
    ? line.replace(/:\/\/[^\s<>()]*/g, (match) => `:${blank(match.slice(1))}`)
    : line;
}

function blank(match: string): string {
  return " ".repeat(match.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
