// Reads the bearer token of a request, and defines the two errors about it. `details.credential` distinguishes them: a client without a token
// signs in, and a client with a refused token discards it.

import { AppError } from "../error.ts";

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** Raises `unauthenticated` for any other scheme. */
export function bearerOf(authorization: string): string {
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw noCredential();
  return token;
}

export function noCredential(): AppError {
  return new AppError("unauthenticated", "authentication required: send Authorization: Bearer <token>", {
    credential: "missing",
  });
}

export function badCredential(
  message = "the token is not valid: it is unknown, revoked or expired",
): AppError {
  return new AppError("unauthenticated", message, { credential: "invalid" });
}
