// Adds an entry to an object or array of a settings file, and takes it out again, without touching any other byte: comments, order, indentation
// and line ends stay. Taking out what was added restores the text exactly.
//
// An entry of ours stands directly behind the bracket if the object or array was there before and was empty; otherwise blanks separate the two.
// Removal reads this: it also removes an object or array that was created for the entry.

import type { JsonEntry, JsonNode } from "../../kit/text/jsonc.ts";
import { lineEndOf } from "../../kit/text/line-end.ts";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const NO_INDENT = "";
const UNIT_DEFAULT = "  ";

/** A key with its value; without a key, for an array. */
interface NewEntry {
  readonly key?: string;
  readonly value: unknown;
}

/**
 * A file with this one entry. `before`: its blanks and comments; undefined: there is no file. A file that was there gets no line end: by this,
 * removal knows which one to delete.
 */
export function createdObject(before: string | undefined, { key = "", value }: NewEntry): string {
  const object = JSON.stringify({ [key]: value }, null, UNIT_DEFAULT);
  if (before === undefined) return `${object}\n`;
  const endsInComment = before.slice(before.lastIndexOf("\n") + 1).includes("//");
  return endsInComment ? before.replace(/^\ufeff?/, (mark) => mark + object) : before + object;
}

export function withEntry(text: string, container: JsonNode, entry: NewEntry): string {
  const last = container.entries.at(-1);
  if (!last) return applied(text, [insertion(container.start + 1, spaced(entry))]);
  const edits = last.comma === undefined ? [insertion(last.end, ",")] : [];
  const trailing = last.comma === undefined ? "" : ",";
  const first = container.entries[0]!;
  const newline = lineEndOf(text);
  if (!text.slice(container.start, first.start).includes("\n")) {
    const after = last.comma === undefined ? last.end : last.comma + 1;
    return applied(text, [...edits, insertion(after, ` ${spaced(entry)}${trailing}`)]);
  }
  const indent = indentOf(text, last.start);
  const lines = `${keyOf(entry)}${JSON.stringify(entry.value, null, unitOf(text))}`.split("\n");
  const written = lines.map((line) => `${newline}${indent}${line}`).join("");
  return applied(text, [...edits, insertion(endOfContent(text, container), written + trailing)]);
}

/** `way`: the entries that lead to it from the root, itself last. Undefined: nothing remains of the file. */
export function withoutEntry(text: string, root: JsonNode, way: readonly JsonEntry[]): string | undefined {
  for (let depth = way.length - 1; depth >= 0; depth--) {
    const entry = way[depth]!;
    const container = way[depth - 1]?.node ?? root;
    if (container.entries.length > 1) return applied(text, removal(text, container, entry));
    const isOurs = isSeparate(text, container) && isBareAround(text, container, entry);
    if (!isOurs) return applied(text, removal(text, container, entry));
  }
  const after = text.slice(root.end);
  return root.start === 0 && after === "\n" ? undefined : text.slice(0, root.start) + after;
}

export function replaced(text: string, node: JsonNode, value: unknown): string {
  const indent = indentOf(text, node.start);
  const shown = JSON.stringify(value, null, unitOf(text))
    .split("\n")
    .join(`${lineEndOf(text)}${indent}`);
  return applied(text, [{ start: node.start, end: node.end, text: shown }]);
}

function keyOf({ key }: NewEntry): string {
  return key === undefined ? "" : `${JSON.stringify(key)}: `;
}

/** On one line. Blanks inside brackets mark what was created with the entry. */
function spaced(entry: NewEntry): string {
  return keyOf(entry) + inLine(entry.value);
}

function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(inLine).join(", ")} ]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${inLine(inner)}`);
  return `{ ${members.join(", ")} }`;
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** Behind the last entry, its comma and the comments that follow. */
function endOfContent(text: string, container: JsonNode): number {
  let end = container.end - 1;
  while (/\s/.test(text[end - 1]!)) end -= 1;
  return end;
}

function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? NO_INDENT;
}

/** The indentation of the file: that of its first indented line. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? UNIT_DEFAULT;
}

/** With a comma after it, the entry goes with that comma; otherwise with the one before it. */
function removal(text: string, container: JsonNode, entry: JsonEntry): Edit[] {
  const index = container.entries.indexOf(entry);
  const before = container.entries[index - 1];
  const comma = before?.comma;
  // Directly behind the bracket there are no blanks of ours.
  const floor = container.start + 1;
  const end = entry.comma === undefined ? entry.end : entry.comma + 1;
  const isCommented = endsInLineComment(text.slice(comma ?? floor, entry.start));
  let start = entry.start;
  // A line comment needs its line end, or it would take in what follows.
  if (!isCommented || /^[ \t]*\r?(?:\n|$)/.test(text.slice(end)))
    while (start > floor && /\s/.test(text[start - 1]!)) start -= 1;
  const own = { start, end, text: "" };
  if (entry.comma !== undefined) return [own];
  return comma === undefined ? [own] : [{ start: comma, end: comma + 1, text: "" }, own];
}

/** `between`: blanks, comments and a comma. */
function endsInLineComment(between: string): boolean {
  return (
    between
      .match(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)
      ?.at(-1)
      ?.startsWith("//") === true
  );
}

function isSeparate(text: string, container: JsonNode): boolean {
  return /\s/.test(text[container.start + 1]!);
}

/** Comments of other people keep an object or array alive. */
function isBareAround(text: string, container: JsonNode, entry: JsonEntry): boolean {
  const around = text.slice(container.start + 1, entry.start) + text.slice(entry.end, container.end - 1);
  return /^[\s,]*$/.test(around);
}

/** In the order of their places; of edits in one place, the first comes first. */
function applied(text: string, edits: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: inserted } of edits) {
    result += text.slice(done, start) + inserted;
    done = end;
  }
  return result + text.slice(done);
}
