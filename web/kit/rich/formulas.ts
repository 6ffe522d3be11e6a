// Formulas in Markdown: `$x$`, `\(x\)`, and displayed `$$x$$`, `\[x\]`. An open formula at the end of a streamed text is shown as source. The
// typesetter loads with the first formula; math.ts bounds and sanitises it.

import type { TokenizerAndRendererExtension, Tokens } from "marked";
import { escaped } from "../escape.ts";
import type * as MathModule from "./math.ts";

/** Longer text between two marks is not meant as a formula. */
const INLINE_CHARACTERS_MAX = 1_000;
/** Typesetting beyond this per frame delays the next update. */
const FRAME_MS_GOOD = 8;

interface Formula extends Tokens.Generic {
  readonly tex: string;
  readonly display: boolean;
}

/** A dollar sign that opens is followed, and one that closes is preceded, by something else than a space: prices are no formulas. */
const INLINE =
  /^(?:\$\$((?:\\[^]|[^\\$])+)\$\$|\$(?![\s$])((?:\\.|[^\\$\n])+)(?<!\s)\$(?![\p{L}\p{N}$])|\\\(([^]+?)\\\)|\\\[([^]+?)\\\])/u;
const BLANK_LINE = /\n[ \t]*\n/;
/** Displayed formulas have no blank lines. The mark that closes may not have arrived yet. */
const BLOCK = /^ {0,3}(?:\$\$|\\\[)(?:(?!\n[ \t]*(?:\n|$))[^])*/;
const CLOSED = /^ {0,3}(?:\$\$((?:\\[^]|[^\\$])+)\$\$|\\\[([^]+?)\\\])[ \t]*(?:\n|$)/;

const inline: TokenizerAndRendererExtension = {
  name: "formula",
  level: "inline",
  start: (text) => {
    const at = text.search(/\$|\\[([]/);
    return at < 0 ? undefined : at;
  },
  tokenizer(text): Formula | undefined {
    const found = INLINE.exec(text.slice(0, INLINE_CHARACTERS_MAX));
    if (!found || BLANK_LINE.test(found[0])) return undefined;
    const [raw, doubled, single, round, square] = found;
    const display = doubled !== undefined || square !== undefined;
    return { type: "formula", raw, tex: (doubled ?? single ?? round ?? square)!.trim(), display };
  },
  renderer: (token) => placeholder(token as Formula),
};

const block: TokenizerAndRendererExtension = {
  name: "formulaBlock",
  level: "block",
  start: (text) => /(?:^|\n) {0,3}(?:\$\$|\\\[)/.exec(text)?.index,
  tokenizer(text): Formula | undefined {
    const whole = BLOCK.exec(text)?.[0];
    if (whole === undefined) return undefined;
    const closed = CLOSED.exec(whole);
    if (closed)
      return {
        type: "formulaBlock",
        raw: closed[0],
        tex: (closed[1] ?? closed[2])!.trim(),
        display: true,
      };
    // Closed in the middle of a line: a formula inside a sentence.
    if (INLINE.test(whole.trimStart())) return undefined;
    return { type: "formulaBlock", raw: whole, tex: "", display: true };
  },
  renderer: (token) => {
    const formula = token as Formula;
    return formula.tex === ""
      ? `<p class="md-math-open">${escaped(formula.raw.trim())}</p>`
      : `<p>${placeholder(formula)}</p>`;
  },
};

export const formulas = [inline, block];

function placeholder({ tex, display }: Formula): string {
  return `<code class="md-math${display ? " md-math-display" : ""}">${escaped(tex)}</code>`;
}

let math: typeof MathModule | undefined;

/** Typesets the formulas in `root`: known ones at once, others frame by frame. Returns a function that ends it. */
export function mountFormulas(root: HTMLElement): () => void {
  const waiting = [...root.querySelectorAll<HTMLElement>("code.md-math")];
  if (waiting.length === 0) return () => {};
  let frame = 0;
  let ended = false;
  const work = () => {
    const until = performance.now() + FRAME_MS_GOOD;
    while (waiting.length > 0 && performance.now() < until) math!.typeset(waiting.shift()!);
    if (waiting.length > 0 && !ended) frame = requestAnimationFrame(work);
  };
  if (math) work();
  else void load().then(() => math && !ended && work());
  return () => {
    ended = true;
    cancelAnimationFrame(frame);
  };
}

async function load(): Promise<void> {
  try {
    math = await import("./math.ts");
  } catch {
    // The source is readable, and the next formula tries again.
  }
}
