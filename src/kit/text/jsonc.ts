// Parses JSON with comments and trailing commas into nodes that know their place in the text, so that an edit can leave everything else as it
// is. Takes linear time on any text.

import { AppError } from "../error.ts";
import { JSON_DEPTH_MAX } from "./json-shape.ts";

export interface JsonNode {
  readonly kind: "object" | "array" | "value";
  /** Offsets in the text; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** A text, number, boolean or null; undefined for an object or array. */
  readonly value: unknown;
  readonly entries: readonly JsonEntry[];
}

/** A member of an object, or an item of an array. */
export interface JsonEntry {
  /** Undefined in an array. */
  readonly key: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly node: JsonNode;
  /** Offset of the comma after it, if there is one. */
  readonly comma: number | undefined;
}

const BLANK = /[\s\ufeff]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** Undefined if there are only blanks and comments. Raises `invalid` with the line; `details.line` repeats it. */
export function parseJsonc(text: string): JsonNode | undefined {
  const parser = new Parser(text);
  return parser.document();
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode | undefined {
    this.#skip();
    if (this.#at === this.#text.length) return undefined;
    const node = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#problem("expected the end of the file");
    return node;
  }

  #value(): JsonNode {
    const start = this.#at;
    const opening = this.#text[start];
    if (opening === "{" || opening === "[") return this.#container(start, opening);
    return { kind: "value", start, value: this.#scalar(), end: this.#at, entries: [] };
  }

  #container(start: number, opening: "{" | "["): JsonNode {
    if (++this.#depth > JSON_DEPTH_MAX) throw this.#problem(`nested deeper than ${JSON_DEPTH_MAX} levels`);
    const closing = opening === "{" ? "}" : "]";
    const entries: JsonEntry[] = [];
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === closing) break;
      const before = entries.at(-1);
      if (before && before.comma === undefined) throw this.#problem(`expected , or ${closing}`);
      entries.push(this.#entry(opening === "{"));
    }
    this.#at += 1;
    this.#depth -= 1;
    return {
      kind: opening === "{" ? "object" : "array",
      start,
      value: undefined,
      end: this.#at,
      entries,
    };
  }

  #entry(hasKey: boolean): JsonEntry {
    const start = this.#at;
    const key = hasKey ? this.#key() : undefined;
    const node = this.#value();
    this.#skip();
    const comma = this.#text[this.#at] === "," ? this.#at++ : undefined;
    return { key, start, end: node.end, node, comma };
  }

  #key(): string {
    if (this.#text[this.#at] !== '"') throw this.#problem('expected a key in "…"');
    const key = this.#string();
    this.#skip();
    if (this.#text[this.#at] !== ":") throw this.#problem("expected : after the key");
    this.#at += 1;
    this.#skip();
    return key;
  }

  #scalar(): unknown {
    if (this.#text[this.#at] === '"') return this.#string();
    SCALAR.lastIndex = this.#at;
    const match = SCALAR.exec(this.#text)?.[0];
    if (match === undefined) throw this.#problem("expected a value");
    this.#at += match.length;
    return JSON.parse(match);
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === "\n") break;
      if (character === "\\") at += 1;
      else if (character === '"') {
        this.#at = at + 1;
        try {
          return JSON.parse(this.#text.slice(start, this.#at)) as string;
        } catch {
          this.#at = start;
          throw this.#problem("this text has a character that must be escaped, or a wrong escape");
        }
      }
    }
    throw this.#problem('this text has no closing "');
  }

  #skip(): void {
    for (;;) {
      BLANK.lastIndex = this.#at;
      this.#at += BLANK.exec(this.#text)?.[0].length ?? 0;
      if (this.#text.startsWith("//", this.#at)) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (this.#text.startsWith("/*", this.#at)) {
        const end = this.#text.indexOf("*/", this.#at + 2);
        if (end < 0) throw this.#problem("this comment has no closing */");
        this.#at = end + 2;
      } else return;
    }
  }

  #problem(problem: string): AppError {
    const line = lineAt(this.#text, this.#at);
    return new AppError("invalid", `line ${line}: ${problem}`, { line });
  }
}
