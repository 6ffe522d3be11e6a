// Measures JSON before it is parsed: the parser takes ten times as long for many different keys or texts as for one long text, and code that walks
// a deep value overflows the stack.

import { secretBytes } from "../random.ts";

/** Far deeper than any real value. Code that walks a value recurses or indents by depth, so a small text could cost minutes. */
export const JSON_DEPTH_MAX = 64;
/** Far more than any request needs. Together they keep the parser below 20 ms. */
export const JSON_KEYS_MAX = 50_000;
/** Different ones. */
export const JSON_NAMES_MAX = 10_000;
export const JSON_TEXTS_MAX = 60_000;
export const JSON_VALUES_MAX = 100_000;
/** A file of 4 MiB with an escape for every fourth character, and more. The parser takes 9 ms for these, and 35 ms for 6 MiB of escaped quotes. */
export const JSON_ESCAPES_MAX = 1_200_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const SPACE_MAX = 0x20;
const ESCAPED_QUOTES_SOUGHT = 16;
const FNV_PRIME = 0x01000193;
const HASH_START = secretBytes(4).readInt32LE();

export interface JsonShape {
  /** Keys of objects, as written: one that is there twice counts twice. */
  readonly keys: number;
  /** The quantity over its limit. The rest is not measured then. */
  readonly excess?: "depth" | "keys" | "names" | "texts" | "values";
}

/** Measures JSON in UTF-8 in linear time. The result for other input is arbitrary, because the parser refuses it anyway. */
export function shapeOf(bytes: Uint8Array): JsonShape {
  let [depth, keys, texts, values] = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    // Brackets and braces differ in one bit.
    const bracket = byte | 0x20;
    if (bracket === 0x7b) {
      if ((depth += 1) > JSON_DEPTH_MAX) return { keys, excess: "depth" };
    } else if (bracket === 0x7d) depth -= 1;
    else if (byte === COMMA) {
      if ((values += 1) >= JSON_VALUES_MAX) return { keys, excess: "values" };
    } else if (byte === QUOTE) {
      at = endOfText(bytes, at);
      if ((texts += 1) > JSON_TEXTS_MAX) return { keys, excess: "texts" };
      if (isFollowedByColon(bytes, at) && (keys += 1) > JSON_KEYS_MAX) return { keys, excess: "keys" };
    }
  }
  return keys > JSON_NAMES_MAX && hasManyNames(bytes) ? { keys, excess: "names" } : { keys };
}

/** Reports whether more than `JSON_NAMES_MAX` keys are different. Two spellings of one key count as two. */
function hasManyNames(bytes: Uint8Array): boolean {
  const seen = new Set<number>();
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    const end = endOfText(bytes, at);
    if (isFollowedByColon(bytes, end)) seen.add(hashOf(bytes, at + 1, end));
    if (seen.size > JSON_NAMES_MAX) return true;
    at = end;
  }
  return false;
}

/** FNV-1a from a start that no caller knows, so that nobody can choose keys with one hash. */
function hashOf(bytes: Uint8Array, from: number, end: number): number {
  let hash = HASH_START;
  for (let at = from; at < end; at += 1) hash = Math.imul(hash ^ bytes[at]!, FNV_PRIME);
  return hash;
}

/** Reports whether more than `JSON_ESCAPES_MAX` characters are escaped. Counts in large JSON only. */
export function hasManyEscapes(bytes: Uint8Array): boolean {
  if (bytes.length <= 2 * JSON_ESCAPES_MAX) return false;
  let escapes = 0;
  for (let at = 0; at < bytes.length && escapes <= JSON_ESCAPES_MAX; at += 1) {
    if (bytes[at] !== BACKSLASH) continue;
    escapes += 1;
    at += 1;
  }
  return escapes > JSON_ESCAPES_MAX;
}

/** As `shapeOf`: what the text has too much of; undefined: nothing. */
export function excessIn(json: string): JsonShape["excess"] {
  return json.length > JSON_DEPTH_MAX ? shapeOf(Buffer.from(json)).excess : undefined;
}

/** For what is short, or read by a program that answers nobody meanwhile. */
export function isTooDeep(json: string): boolean {
  const bytes = Buffer.from(json);
  let depth = 0;
  for (let at = 0; at < bytes.length && depth <= JSON_DEPTH_MAX; at += 1) {
    const bracket = bytes[at]! | 0x20;
    if (bracket === 0x7b) depth += 1;
    else if (bracket === 0x7d) depth -= 1;
    else if (bytes[at] === QUOTE) at = endOfText(bytes, at);
  }
  return depth > JSON_DEPTH_MAX;
}

/** The index of the closing quote of the text that opens at `start`: a quote after an even number of backslashes. */
export function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let escaped = 0; escaped < ESCAPED_QUOTES_SOUGHT; escaped += 1) {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at < 0) return bytes.length;
    let before = at;
    while (bytes[before - 1] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  // A call for each quote of a text that is full of them would take longer than to look at each byte.
  for (at += 1; at < bytes.length && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
  return at;
}

export function isFollowedByColon(bytes: Uint8Array, end: number): boolean {
  let at = end + 1;
  while (bytes[at]! <= SPACE_MAX) at += 1;
  return bytes[at] === COLON;
}
