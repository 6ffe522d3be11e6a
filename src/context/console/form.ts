// The fields of a form as a browser sends them: bounded, one value per name unless a list is expected.

import { turnOfOthers } from "../../kit/clock.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import { readBytes } from "../../kit/http/body.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";

/** Above a document as large as the editor takes, of nothing but line ends: each is sent as six bytes. */
const FORM_BYTES_MAX = 2 * 1024 * 1024;
/** Decoding a larger form takes a while, so others have their turn before and after. */
const LARGE_BYTES_MIN = 64 * 1024;

export class Form {
  /** As it was sent. */
  readonly sent: string;
  readonly #fields: URLSearchParams;

  constructor(text = "") {
    this.sent = text;
    this.#fields = new URLSearchParams(text);
  }

  /** Empty if the form does not have it. */
  text(name: string): string {
    return this.#fields.get(name) ?? "";
  }

  /** In their order. */
  entries(): (readonly [name: string, value: string])[] {
    return [...this.#fields];
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Undefined if it is empty. Raises `invalid` unless it is a whole number from 0. */
  number(name: string): number | undefined {
    const text = this.text(name).trim();
    if (text === "") return undefined;
    if (!/^[0-9]{1,15}$/.test(text)) throw fieldError("invalid", name, "expected a whole number from 0");
    return Number(text);
  }
}

/** Raises `too_large`, `invalid`, and what reading a body raises. */
export async function readForm(request: Request): Promise<Form> {
  const bytes = await readBytes(request, FORM_BYTES_MAX);
  const isLarge = bytes.length >= LARGE_BYTES_MIN;
  if (isLarge) await turnOfOthers();
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new AppError("invalid", "the form is not UTF-8");
  const form = new Form(text);
  if (isLarge) await turnOfOthers();
  return form;
}

/** Raises `invalid` unless the person typed this text into `confirm`. */
export function requireTyped(form: Form, text: string): void {
  if (form.text("confirm").trim() !== text) throw fieldError("invalid", "confirm", `type ${text} to confirm`);
}
