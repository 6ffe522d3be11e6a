// The words of an answer for screen readers: its Markdown without marks, and of a long one the beginning. Pure.

import { Lexer, type Token, type Tokens } from "marked";

const CHARACTERS_READ = 2_000;
const CHARACTERS_SPOKEN_MAX = 600;

/** Returns the text that a screen reader says once an answer is complete. */
export function spoken(markdown: string): string {
  const tokens = new Lexer({ gfm: true }).lex(markdown.slice(0, CHARACTERS_READ));
  const words = textOf(tokens).replaceAll(/\s+/g, " ").trim();
  if (words.length <= CHARACTERS_SPOKEN_MAX && markdown.length <= CHARACTERS_READ) return words;
  return `${words.slice(0, CHARACTERS_SPOKEN_MAX).replace(/\s\S*$/, "")}…`;
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(wordsOf).join("");
}

function wordsOf(token: Token): string {
  switch (token.type) {
    case "code":
      return "code block. ";
    case "table":
      return "table. ";
    case "def":
    case "hr":
    case "space":
      return "";
    case "br":
      return " ";
    case "list":
      return (token as Tokens.List).items.map(wordsOf).join("");
    case "heading":
    case "paragraph":
    case "list_item":
    case "blockquote":
      return `${inside(token)} `;
    default:
      return inside(token);
  }
}

/** Returns the words of the tokens that it consists of, or its own. */
function inside(token: Token): string {
  if ("tokens" in token && token.tokens) return textOf(token.tokens);
  return "text" in token ? String(token.text) : "";
}
