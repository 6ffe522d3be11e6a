// Reads JSON from providers, which can have any shape.

import { parsedObject, type Fields } from "../../kit/text/parsed-json.ts";
import { brokenProtocol, requireModest } from "./failures.ts";

/** Parsing a shorter text is quick, whatever is in it. */
const QUICK_CHARACTERS_MAX = 128 * 1024;

/** Parses the JSON object in an event's data. Raises ModelFailure. */
export function eventObject(data: string): Fields {
  if (data.length > QUICK_CHARACTERS_MAX) requireModest(data);
  const value = parsedObject(data);
  if (!value) throw brokenProtocol("an event is not a JSON object");
  return value;
}

/** Far more than any model reads. Without this bound, sums could exceed the safe integers and break budgets. */
const TOKENS_MAX = 100_000_000;

/** A count of tokens; undefined when it is missing or not a valid count. */
export function tokensOf(value: unknown): number | undefined {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX;
  return isCount ? value : undefined;
}

/** Detects when growing JSON text is complete. Reads each character once, however often it is called. */
export class JsonProgress {
  #position = 0;
  #depth = 0;
  #inString = false;
  #whole = false;

  /** Reports whether the first object or list in `text` is closed. `text` must extend the text of the previous call. */
  isWhole(text: string): boolean {
    for (; this.#position < text.length && !this.#whole; this.#position++) this.#step(text[this.#position]!);
    return this.#whole;
  }

  #step(character: string): void {
    if (this.#inString) {
      // Skip an escaped character, so that `\"` does not end the string.
      if (character === "\\") this.#position++;
      else if (character === '"') this.#inString = false;
    } else if (character === '"') this.#inString = true;
    else if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") this.#whole = --this.#depth === 0;
  }
}
