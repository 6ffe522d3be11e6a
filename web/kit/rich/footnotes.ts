// Footnotes in Markdown: `[^1]` in the text, `[^1]: …` anywhere. They stand at the end, numbered in the order in which they are defined.

import type { TokenizerAndRendererExtension, Tokens } from "marked";

interface Note extends Tokens.Generic {
  readonly label: string;
}

const REFERENCE = /^\[\^([^\]\s]{1,60})\]/;
/** Up to a blank line; indented paragraphs belong to it. */
const DEFINITION =
  /^\[\^([^\]\s]{1,60})\]:[ \t]*([^\n]*(?:\n(?![ \t]*(?:\n|$)|\[\^)[^\n]+)*(?:\n[ \t]*\n {2,}[^\n]+)*)(?:\n+|$)/;

/** Labels that are defined, in order. Set while a block is parsed. */
let labels: readonly string[] = [];

export function withNotes<T>(notes: string, parse: () => T): T {
  labels = notes === "" ? [] : notes.split("\n");
  try {
    return parse();
  } finally {
    labels = [];
  }
}

const reference: TokenizerAndRendererExtension = {
  name: "footnoteReference",
  level: "inline",
  start: (text) => {
    const at = text.indexOf("[^");
    return at < 0 ? undefined : at;
  },
  tokenizer(text): Note | undefined {
    const found = REFERENCE.exec(text);
    // Without its definition it is text.
    if (!found || !labels.includes(found[1]!)) return undefined;
    return { type: "footnoteReference", raw: found[0], label: found[1]! };
  },
  renderer: (token) => `<span class="md-note">${labels.indexOf((token as Note).label) + 1}</span>`,
};

const definition: TokenizerAndRendererExtension = {
  name: "footnote",
  level: "block",
  start: (text) => /(?:^|\n)\[\^[^\]\s]+\]:/.exec(text)?.index,
  tokenizer(text): Note | undefined {
    const found = DEFINITION.exec(text);
    if (!found) return undefined;
    const tokens = this.lexer.blockTokens(found[2]!.replaceAll(/\n {2,}/g, "\n"), []);
    return { type: "footnote", raw: found[0], label: found[1]!, tokens };
  },
  renderer(token) {
    const { label, tokens = [] } = token as Note;
    const number = labels.indexOf(label) + 1;
    return `<div class="md-footnote"><span class="md-footnote-number">${number}</span><div>${this.parser.parse(tokens)}</div></div>`;
  },
};

export const footnotes = [reference, definition];

/** Makes references and numbers lead to each other. */
export function mountFootnotes(root: HTMLElement): void {
  for (const mark of root.querySelectorAll<HTMLElement>(".md-note")) {
    const number = mark.textContent ?? "";
    mark.replaceChildren(
      button(number, `Footnote ${number}`, () => target(mark, ".md-footnote-number", number)),
    );
  }
  for (const mark of root.querySelectorAll<HTMLElement>(".md-footnote-number")) {
    const number = mark.textContent ?? "";
    mark.replaceChildren(
      button(number, `Back to the text of footnote ${number}`, () => target(mark, ".md-note", number)),
    );
  }
}

function button(text: string, label: string, find: () => HTMLElement | undefined): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "md-note-button";
  made.textContent = text;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", () => {
    const found = find();
    found?.focus({ preventScroll: true });
    found?.scrollIntoView({ block: "nearest" });
  });
  return made;
}

function target(from: HTMLElement, selector: string, number: string): HTMLElement | undefined {
  const all = from.closest(".markdown")?.querySelectorAll<HTMLElement>(`${selector} > button`);
  return [...(all ?? [])].find(({ textContent }) => textContent === number);
}
