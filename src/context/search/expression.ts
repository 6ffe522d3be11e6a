// Regular expressions, in time linear in the text: the syntax of RE2, without look-around and back-references. Matches line by line.

import type { AppError } from "../../kit/error.ts";
import { badQuery, requireShort } from "./terms.ts";
import type { Span } from "./lines.ts";

/** Matches of one file. */
const SPANS_MAX = 10_000;
/** Unescaped plain characters; what follows them decides whether they must occur. */
const PLAIN = /[^\\^$.*+?()[\]{}|]+/g;
/** Its numbers are no text: a match of `a{100}` contains no `100`. */
const REPETITION = /\{[0-9,]*\}/g;
/** A literal this short excludes few files. */
const LITERAL_CHARACTERS_MIN = 3;

interface Expression {
  /** Returns the matches that lie within one line, in their order. The text has line feeds only. */
  readonly spans: (text: string) => Span[];
}

/** Raises `invalid` with the reason. */
export async function compileExpression(text: string, ignoreCase: boolean): Promise<Expression> {
  requireShort(text);
  const { RE2JS, RE2JSSyntaxException } = await import("re2js");
  let compiled: InstanceType<typeof RE2JS>;
  try {
    compiled = RE2JS.compile(text, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  } catch (error) {
    throw error instanceof RE2JSSyntaxException ? notExpression(error.getDescription()) : error;
  }
  const literal = ignoreCase ? undefined : requiredLiteral(text);
  return {
    spans: (content) => {
      if (literal !== undefined && !content.includes(literal)) return [];
      return spansOf(compiled, content);
    },
  };
}

function notExpression(problem: string): AppError {
  return badQuery(
    `not a regular expression (${problem}); the syntax is that of RE2, without look-around and back-references`,
  );
}

/** A text that every match contains; undefined: none is known. Conservative: gives up at alternatives and flags. */
export function requiredLiteral(expression: string): string | undefined {
  if (/[|(\\[]/.test(expression)) return undefined;
  const plainOnly = expression.replace(REPETITION, "{}");
  let longest = "";
  for (const { 0: run, index } of plainOnly.matchAll(PLAIN)) {
    const next = plainOnly[index + run.length];
    const isRepeated = next !== undefined && "*?{+".includes(next);
    const plain = isRepeated ? run.slice(0, -1) : run;
    if (plain.length > longest.length) longest = plain;
  }
  return longest.length >= LITERAL_CHARACTERS_MIN && longest.isWellFormed() ? longest : undefined;
}

interface Engine {
  matcher(text: string): { find(from?: number): boolean; start(): number; end(): number };
}

/** Finds the next match anywhere, which is fast, and then matches that line alone: a match over several lines does not count. */
function spansOf(engine: Engine, text: string): Span[] {
  const spans: Span[] = [];
  for (let from = 0; from <= text.length && spans.length < SPANS_MAX;) {
    const rest = from === 0 ? text : text.slice(from);
    const anywhere = engine.matcher(rest);
    if (!anywhere.find()) break;
    const at = from + anywhere.start();
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    addSpans(engine, text.slice(start, end), start, spans);
    if (found < 0) break;
    from = end + 1;
  }
  return spans;
}

function addSpans(engine: Engine, line: string, start: number, spans: Span[]): void {
  const matcher = engine.matcher(line);
  while (spans.length < SPANS_MAX && matcher.find())
    spans.push({ start: start + matcher.start(), end: start + matcher.end() });
}
