// Keeps secrets out of a space: what is about to be written is looked through for keys and passwords of known shapes. A line that a person
// marked as checked passes.

import { decodeUtf8 } from "../../kit/utf8.ts";
import { findSecret } from "./secret-rules.ts";

export interface Finding {
  readonly rule: string;
  /** From 1. */
  readonly line: number;
  /** The line with the secret itself taken out. */
  readonly snippet: string;
  /** False: it is told and let through. */
  readonly blocks: boolean;
}

export class SecretScan {
  readonly #mode: "block" | "warn" | "off";

  constructor(mode: "block" | "warn" | "off") {
    this.#mode = mode;
  }

  /** The first finding; undefined when there is none, the content is no text, or the scan is off. */
  find(path: string, content: Uint8Array): Finding | undefined {
    if (this.#mode === "off") return undefined;
    const text = decodeUtf8(content);
    const found = text === undefined ? undefined : findSecret(path, text);
    return found && { ...found, blocks: this.#mode === "block" };
  }
}
