// The text being typed at the caret: a reference to an agent or a file, `@scout` or `@"my notes.md"`, or a starter, `/review`. Also writes
// references. Pure.

export type Trigger =
  /** `from` and `to`: the part of the text that a choice replaces. */
  | { readonly kind: "reference"; readonly query: string; readonly from: number; readonly to: number }
  | { readonly kind: "starter"; readonly query: string; readonly from: number; readonly to: number };

/** A longer text before the caret is no reference. */
const QUERY_CHARACTERS_MAX = 400;

const QUOTED = /(?:^|[\s([{])@"((?:[^"\\\n]|\\.)*)$/;
const BARE = /(?:^|[\s([{])@([^\s"@]*)$/;
const STARTER = /^\/([^\n]*)$/;

/** Undefined: nothing is to be completed at this place. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(0, caret - QUERY_CHARACTERS_MAX), caret);
  const inQuotes = QUOTED.exec(before);
  if (inQuotes)
    return {
      kind: "reference",
      query: inQuotes[1]!.replaceAll(/\\(.)/g, "$1"),
      from: caret - inQuotes[1]!.length - 2,
      to: caret,
    };
  const bare = BARE.exec(before);
  if (bare) return { kind: "reference", query: bare[1]!, from: caret - bare[1]!.length - 1, to: caret };
  const starter = caret <= QUERY_CHARACTERS_MAX ? STARTER.exec(before) : null;
  return starter ? { kind: "starter", query: starter[1]!, from: 0, to: caret } : undefined;
}

/** The reference as it is written into the message. */
export function referenceTo(name: string): string {
  return `@${isPlain(name) ? name : quoted(name)}`;
}

/** The start of a reference to something in a directory, which is not finished. */
export function referenceInto(directory: string): string {
  const path = `${directory}/`;
  return isPlain(path) ? `@${path}` : `@"${escaped(path)}`;
}

function isPlain(name: string): boolean {
  // At its end, punctuation would belong to the sentence.
  return /^[^\s"@\\]+$/.test(name) && !/[.,;:!?)\]}]$/.test(name);
}

function quoted(name: string): string {
  return `"${escaped(name)}"`;
}

function escaped(name: string): string {
  return name.replaceAll(/["\\]/g, "\\$&");
}
