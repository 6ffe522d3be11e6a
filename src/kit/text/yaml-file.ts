// Reads YAML that people write: a syntax error names its line, and a key that is given twice is refused, because the parser would take one of the
// two silently.

import { AppError, messageOf } from "../error.ts";

/** `details.reason` of the errors. */
type YamlProblem = "syntax" | "doubled_key";

/** A line `key: value`, after its indentation and dashes. A plain key has neither a colon nor a comment; its limit keeps the search linear. */
const ENTRY = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#'"[\]{},&*!|>%@`][^:#]{0,200}?)[ \t]{0,20}:(?:[ \t]+(.*))?$/;
const BLOCK_TEXT = /^[|>][-+0-9]*[ \t]*(?:#.*)?$/;

/** `name` begins the message. An empty text is `{}`. Raises `invalid` for a text that is not YAML, or has a key twice in one block. */
export function readYaml(name: string, text: string): unknown {
  const problem = (reason: YamlProblem, line: number, why: string) =>
    new AppError("invalid", `${name}: near line ${line}: ${why}`, { reason });
  let value: unknown;
  try {
    value = Bun.YAML.parse(text) ?? {};
  } catch (error) {
    throw problem("syntax", brokenLine(text), messageOf(error));
  }
  const doubled = doubledKey(text);
  if (doubled) throw problem("doubled_key", doubled.line, `${doubled.key}: given twice`);
  return value;
}

/** The parser does not say where it stops: the line after the longest beginning that it takes. */
function brokenLine(text: string): number {
  const lines = text.split("\n");
  const takes = (count: number) => {
    try {
      Bun.YAML.parse(lines.slice(0, count).join("\n"));
      return true;
    } catch {
      return false;
    }
  };
  let [good, bad] = [0, lines.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (takes(middle)) good = middle;
    else bad = middle;
  }
  return bad;
}

/** The first key that a block has twice, with its line from 1. Looks at block mappings only: keys of one line each, told apart by their indentation. */
export function doubledKey(text: string): { key: string; line: number } | undefined {
  const blocks: { readonly indent: number; readonly keys: Set<string> }[] = [];
  const leave = (isOver: (indent: number) => boolean) => {
    while (blocks.length > 0 && isOver(blocks.at(-1)!.indent)) blocks.pop();
  };
  /** The indentation of the key of a text block, whose lines are no entries. */
  let textOf: number | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    let rest = raw.trimStart();
    let indent = raw.length - rest.length;
    if (rest === "" || rest.startsWith("#")) continue;
    if (textOf !== undefined && indent > textOf) continue;
    textOf = undefined;
    // Each item of a list has a block of its own.
    for (let dash = /^-[ \t]+/.exec(rest); dash; dash = /^-[ \t]+/.exec(rest)) {
      const at = indent;
      leave((deeper) => deeper > at);
      indent += dash[0].length;
      rest = rest.slice(dash[0].length);
    }
    const entry = ENTRY.exec(rest);
    if (!entry) continue;
    const [, key = "", value = ""] = entry;
    const at = indent;
    leave((deeper) => deeper > at);
    if (blocks.at(-1)?.indent !== at) blocks.push({ indent: at, keys: new Set() });
    const { keys } = blocks.at(-1)!;
    if (keys.has(key)) return { key, line: index + 1 };
    keys.add(key);
    if (BLOCK_TEXT.test(value)) textOf = at;
  }
  return undefined;
}
