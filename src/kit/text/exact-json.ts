// Compares JSON text with its canonical form. A hash over the parsed record would accept many spellings; this detects duplicate keys, white
// space, other escapes and another order of keys.

import { parsedJson } from "./parsed-json.ts";

/**
 * Returns the value of `text` if `JSON.stringify` would write exactly this text; otherwise undefined. Accepts any order of keys: the caller
 * checks the order (`hasMembers`).
 */
export function parseExact(text: string): unknown {
  const value = parsedJson(text);
  return JSON.stringify(value) === text ? value : undefined;
}

/** Reports whether the object has exactly these members, in this order. */
export function hasMembers(value: object, names: readonly string[]): boolean {
  const own = Object.keys(value);
  return own.length === names.length && own.every((name, index) => name === names[index]);
}
