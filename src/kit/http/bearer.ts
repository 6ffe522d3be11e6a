// Reads the bearer token of a request, and defines the two errors about it. `details.credential` distinguishes them: a client without a token
// signs in, and a client with a refused token discards it.

import { AppError, NAME_CHARACTERS_SHOWN_MAX } from "../error.ts";

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** Raises `unauthenticated` for any other scheme. */
export function bearerOf(authorization: string): string {
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw noCredential();
  return token;
}

/** `header`: what keeps a request of this machine from acting without a token. */
export function noCredential(header?: string): AppError {
  const needed = "authentication required: send Authorization: Bearer <token>";
  if (header === undefined) return new AppError("unauthenticated", needed, { credential: "missing" });
  const named = header.slice(0, NAME_CHARACTERS_SHOWN_MAX);
  return new AppError(
    "unauthenticated",
    `${needed}; the header "${named}" may come from a proxy, and only direct requests from this machine need no token`,
    { credential: "missing", header: named },
  );
}

export function badCredential(
  message = "the token is not valid: it is unknown, revoked or expired",
): AppError {
  return new AppError("unauthenticated", message, { credential: "invalid" });
}
