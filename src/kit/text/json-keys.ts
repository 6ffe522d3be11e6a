// Finds a key that an object has twice. JSON.parse takes the last one silently; a proxy, a log or a reviewer may have read the first.

const COLON = 0x3a;
const SPACE_MAX = 0x20;

/** `json`: valid JSON, and `value` what it parses to. Returns the first key that is there twice. */
export function doubledKey(json: string, value: unknown): string | undefined {
  return writtenKeys(json) === keysIn(value) ? undefined : firstDoubled(json);
}

/** Counts the keys as written; the value has fewer if one is there twice. Allocates nothing. */
function writtenKeys(json: string): number {
  let count = 0;
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at + 1)) {
    at = endOfText(json, at);
    if (isFollowedByColon(json, at)) count += 1;
  }
  return count;
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

function firstDoubled(json: string): string | undefined {
  /** The keys of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(null);
    else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const end = endOfText(json, at);
      if (isFollowedByColon(json, end)) {
        // Escapes: two spellings can be one key.
        const key = JSON.parse(json.slice(at, end + 1)) as string;
        const keys = open.at(-1)!;
        if (keys!.has(key)) return key;
        keys!.add(key);
      }
      at = end;
    }
  }
  return undefined;
}

/** The index of the closing quote of the text that opens at `start`: a quote after an even number of backslashes. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); ; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function isFollowedByColon(json: string, end: number): boolean {
  let at = end + 1;
  while (json.charCodeAt(at) <= SPACE_MAX) at += 1;
  return json.charCodeAt(at) === COLON;
}
