// Keeps secrets out of a space: what is about to be written is looked through for keys and passwords of known shapes. A line that a person
// marked as checked passes.

import { decodeUtf8 } from "../../kit/utf8.ts";
import { loadSecretRules, mayHoldSecret, type FindSecret, type FoundSecret } from "./secret-rules.ts";

export interface Finding extends FoundSecret {
  /** False: it is told and let through. */
  readonly blocks: boolean;
}

/** The first finding; undefined when there is none or the content is no text. */
export type Find = (path: string, content: Uint8Array) => Finding | undefined;

export class SecretScan {
  readonly #mode: "block" | "warn" | "off";
  #rules: Promise<FindSecret> | undefined;

  constructor(mode: "block" | "warn" | "off") {
    this.#mode = mode;
  }

  /** What looks through contents; it finds nothing when the scan is off. */
  async finder(): Promise<Find> {
    if (this.#mode === "off") return () => undefined;
    const findSecret = await (this.#rules ??= loadSecretRules());
    return (path, content) => {
      const text = mayHoldSecret(content) ? decodeUtf8(content) : undefined;
      const found = text === undefined ? undefined : findSecret(path, text);
      return found && { ...found, blocks: this.#mode === "block" };
    };
  }
}
