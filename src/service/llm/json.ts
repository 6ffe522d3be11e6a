// JSON as providers send it: nothing about it is certain until it was looked at.

import { brokenProtocol } from "./failures.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON object in a text; undefined: there is none. */
export function parsedObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON object in an event's data. Raises ModelFailure. */
export function eventObject(data: string): Fields {
  const value = parsedObject(data);
  if (!value) throw brokenProtocol("an event is not a JSON object");
  return value;
}

/** Far more than any model reads. Sums of what is above it would leave the integers, and a budget could not be asked any more. */
const TOKENS_MAX = 100_000_000;

/** A count of tokens; undefined: not reported, or not a count. */
export function tokensOf(value: unknown): number | undefined {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX;
  return isCount ? value : undefined;
}

/** Tells when JSON text that grows is whole. Each character is looked at once, however often it is asked. */
export class JsonProgress {
  #position = 0;
  #depth = 0;
  #inString = false;
  #whole = false;

  /** Is the first object or list in `text` closed? `text`: what was given before, and more. */
  isWhole(text: string): boolean {
    for (; this.#position < text.length && !this.#whole; this.#position++) this.#step(text[this.#position]!);
    return this.#whole;
  }

  #step(character: string): void {
    if (this.#inString) {
      // What follows a backslash is skipped with it, so that `\"` ends nothing.
      if (character === "\\") this.#position++;
      else if (character === '"') this.#inString = false;
    } else if (character === '"') this.#inString = true;
    else if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") this.#whole = --this.#depth === 0;
  }
}
