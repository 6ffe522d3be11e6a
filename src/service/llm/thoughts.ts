// Thoughts that the Messages API signs or encrypts. While the tools of an answer run, they belong to it: the provider wants each block back as it
// was and in its place, and continues its thinking from there. Nobody else can read or change them, so they are neither stored nor shown.

import type { Fields } from "../../kit/text/parsed-json.ts";

/** A block, with its place in the answer. */
export interface PlacedThought {
  readonly block: Fields;
  /** The characters of text before it. */
  readonly textBefore: number;
  /** The tool calls before it. */
  readonly callsBefore: number;
}

/** A block of thoughts that is still arriving. */
export class ArrivingThought {
  readonly #block: Record<string, unknown>;
  readonly #place: Omit<PlacedThought, "block">;

  constructor(block: Fields, place: Omit<PlacedThought, "block">) {
    this.#block = { ...block };
    this.#place = place;
  }

  extend(field: "thinking" | "signature", piece: string): void {
    const before = this.#block[field];
    this.#block[field] = (typeof before === "string" ? before : "") + piece;
  }

  get placed(): PlacedThought {
    return { block: this.#block, ...this.#place };
  }
}

export function isThought({ type }: Fields): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Returns the blocks of an answer with its thoughts in their places. `textBlocks` makes those of a piece of text, none of an empty one. */
export function withThoughts<Block>(
  { text, calls }: { readonly text: string; readonly calls: readonly Block[] },
  thoughts: readonly PlacedThought[],
  textBlocks: (text: string) => readonly Block[],
): (Block | Fields)[] {
  const blocks: (Block | Fields)[] = [];
  let [textEnd, callsEnd] = [0, 0];
  for (const { block, textBefore, callsBefore } of thoughts) {
    blocks.push(...textBlocks(text.slice(textEnd, textBefore)), ...calls.slice(callsEnd, callsBefore), block);
    [textEnd, callsEnd] = [textBefore, callsBefore];
  }
  return [...blocks, ...textBlocks(text.slice(textEnd)), ...calls.slice(callsEnd)];
}
