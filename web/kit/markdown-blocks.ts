// Splits Markdown into top-level blocks, so that a streamed text changes only its last block. Pure.

import { Lexer, Marked, type MarkedExtension, type Token, type Tokens } from "marked";

/** Parsing longer lines as Markdown would take seconds, and no one writes them for reading. */
const LINE_CHARACTERS_MAX = 20_000;
/** Unlike code and tables, prose is expensive to parse. */
const PROSE_CHARACTERS_MAX = 40_000;

export type Block =
  | { readonly kind: "code"; readonly raw: string; readonly code: string; readonly language: string }
  /**
   * `level`: the heading's level in the page's outline. `links`: link definitions that it may refer to. `notes`: the labels of footnotes, one
   * per line.
   */
  | {
      readonly kind: "prose";
      readonly raw: string;
      readonly level: number;
      readonly links: string;
      readonly notes: string;
    }
  /** Shown as written. */
  | { readonly kind: "plain"; readonly raw: string };

/** One level below the page's own heading. */
const HEADING_LEVEL_MIN = 2;
const HEADING_LEVEL_MAX = 6;

/** Parses a growing text incrementally: blocks before the last one are not parsed again. */
export class MarkdownBlocks {
  #text = "";
  #tokens: readonly Token[] = [];
  #blocks: readonly Block[] = [];
  #extension: MarkedExtension | undefined;

  /** `extension`: what more it understands than the standard. Another one parses everything again. */
  update(text: string, extension?: MarkedExtension): readonly Block[] {
    const now = text.replaceAll("\r\n", "\n");
    const same = extension === this.#extension;
    if (same && now === this.#text) return this.#blocks;
    this.#extension = extension;
    if (!same) this.#tokens = [];
    const kept = now.startsWith(this.#text) ? this.#finished() : [];
    const offset = kept.reduce((sum, { raw }) => sum + raw.length, 0);
    this.#text = now;
    const rest = now.slice(offset);
    if (longestLine(rest) > LINE_CHARACTERS_MAX) {
      this.#tokens = [];
      this.#blocks = [{ kind: "plain", raw: now }];
      // Text appended later stays plain, too.
      return this.#blocks;
    }
    this.#tokens = [...kept, ...lexerWith(extension).blockTokens(rest, [])];
    this.#blocks = toBlocks(this.#tokens, this.#blocks);
    return this.#blocks;
  }

  /** Tokens that further text cannot change: those before the last non-empty one. */
  #finished(): readonly Token[] {
    const last = this.#tokens.findLastIndex(({ type }) => type !== "space");
    return this.#tokens.slice(0, Math.max(0, last));
  }
}

function lexerWith(extension: MarkedExtension | undefined): Lexer {
  return new Lexer(extension ? new Marked({ gfm: true }, extension).defaults : { gfm: true });
}

function toBlocks(tokens: readonly Token[], before: readonly Block[]): Block[] {
  const links = tokens
    .filter(({ type }) => type === "def")
    .map(({ raw }) => raw.trim())
    .join("\n");
  const notes = [...new Set(tokens.filter(isNote).map(({ label }) => label))].join("\n");
  const levels = headingLevels();
  const shown = tokens.filter(({ type }) => type !== "space" && type !== "def");
  // Footnotes stand at the end.
  return [...shown.filter((token) => !isNote(token)), ...shown.filter(isNote)].map((token, index) => {
    const block = toBlock(token, links, notes, levels);
    const old = before[index];
    return old !== undefined && sameBlock(old, block) ? old : block;
  });
}

function isNote(token: Token): token is Token & { label: string } {
  return token.type === "footnote";
}

function toBlock(token: Token, links: string, notes: string, levels: (depth: number) => number): Block {
  const { raw } = token;
  if (token.type === "code") {
    const { text, lang = "" } = token as Tokens.Code;
    return { kind: "code", raw, code: text, language: /^[^\s,{]*/.exec(lang)![0] };
  }
  if (token.type !== "table" && raw.length > PROSE_CHARACTERS_MAX) return { kind: "plain", raw };
  const level = token.type === "heading" ? levels((token as Tokens.Heading).depth) : 0;
  return { kind: "prose", raw, level, links, notes: raw.includes("[^") ? notes : "" };
}

/** Assigns heading levels without gaps, whatever level a text starts with. */
function headingLevels(): (depth: number) => number {
  const above: number[] = [];
  return (depth) => {
    while (above.length > 0 && above.at(-1)! >= depth) above.pop();
    above.push(depth);
    return Math.min(HEADING_LEVEL_MAX, HEADING_LEVEL_MIN + above.length - 1);
  };
}

function sameBlock(a: Block, b: Block): boolean {
  return (
    a.kind === b.kind &&
    a.raw === b.raw &&
    (a.kind !== "prose" ||
      b.kind !== "prose" ||
      (a.level === b.level && a.links === b.links && a.notes === b.notes))
  );
}

function longestLine(text: string): number {
  let longest = 0;
  for (let at = 0; at <= text.length;) {
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end;
    longest = Math.max(longest, stop - at);
    at = stop + 1;
  }
  return longest;
}
