// Decides which Content-Type means JSON in UTF-8, for the guard and for readers of bodies.

import { AppError } from "../error.ts";

/** RFC 9110, 8.3.1: type, subtype, names of parameters and charsets in any case; spaces around the semicolon. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*(.*))?$/i;
const UTF_8 = /^(?:charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

/** `what` starts the error message. Raises `invalid`. */
export function requireJsonType(header: string | undefined, what: string): void {
  const match = JSON_TYPE.exec(header ?? "");
  if (!match) throw new AppError("invalid", `${what} needs Content-Type: application/json`);
  if (!UTF_8.test(match[1] ?? ""))
    throw new AppError("invalid", `${what} needs charset=utf-8, or no charset`);
}
