// Reads the bearer token of a request, and defines the two errors about it. `details.credential` distinguishes them: a client without a token
// signs in, and a client with a refused token discards it.

import { AppError, NAME_CHARACTERS_SHOWN_MAX } from "../error.ts";
import type { LostBy } from "./guard.ts";

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** Raises `unauthenticated` for any other scheme. */
export function bearerOf(authorization: string): string {
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw noCredential();
  return token;
}

/** The words of the specification for a request without a valid token. */
export const TOKEN_REQUIRED = "authentication required: send Authorization: Bearer <token>";

/** `lostBy`: what kept a request of this machine from needing no token. */
export function noCredential(lostBy?: LostBy): AppError {
  if (lostBy === undefined) return new AppError("unauthenticated", TOKEN_REQUIRED, { credential: "missing" });
  const only = "only direct requests from this machine need no token";
  if ("account" in lostBy)
    return new AppError(
      "unauthenticated",
      `${TOKEN_REQUIRED}; the program that connected runs under a system account, as proxies do, and ${only}`,
      { credential: "missing", ...lostBy },
    );
  const header = lostBy.header.slice(0, NAME_CHARACTERS_SHOWN_MAX);
  return new AppError(
    "unauthenticated",
    `${TOKEN_REQUIRED}; the header "${header}" may come from a proxy, and ${only}`,
    { credential: "missing", header },
  );
}

export function badCredential(
  message = "the token is not valid: it is unknown, revoked or expired",
): AppError {
  return new AppError("unauthenticated", message, { credential: "invalid" });
}
