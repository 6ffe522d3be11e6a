// Finds a key that an object has twice. JSON.parse takes the last one silently; a proxy, a log or a reviewer may have read the first.

import { endOfText, isFollowedByColon } from "./json-shape.ts";

/** `json`: valid JSON with `keys` keys as written, and `value` what it parses to. Returns the first key that is there twice. */
export function doubledKey(json: Uint8Array, keys: number, value: unknown): string | undefined {
  return keys === keysIn(value) ? undefined : firstDoubled(json);
}

function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += keysIn(item);
    return count;
  }
  for (const key in value) count += 1 + keysIn((value as Record<string, unknown>)[key]);
  return count;
}

function firstDoubled(json: Uint8Array): string | undefined {
  const decoder = new TextDecoder();
  /** The keys of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const character = String.fromCharCode(json[at]!);
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(null);
    else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const end = endOfText(json, at);
      if (isFollowedByColon(json, end)) {
        // Escapes: two spellings can be one key.
        const key = JSON.parse(decoder.decode(json.subarray(at, end + 1))) as string;
        const keys = open.at(-1)!;
        if (keys!.has(key)) return key;
        keys!.add(key);
      }
      at = end;
    }
  }
  return undefined;
}
