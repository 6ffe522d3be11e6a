// Reads, sets and clears the session cookie of a browser, always with the same attributes.

import type { Exchange } from "../../kit/http/exchange.ts";
import { SESSION_IDLE_DAYS } from "./schema.ts";

const NAME = "cairn_session";
const SESSION_SECONDS = SESSION_IDLE_DAYS * 86_400;

/** The token in a `Cookie` header; undefined when there is none. */
export function sessionToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : new Bun.CookieMap(header).get(NAME) || undefined;
}

/** Returns a `Set-Cookie` value; an empty token clears the cookie. `Secure` if the browser uses TLS, which only a proxy in front can terminate. */
export function sessionCookie(exchange: Exchange, token: string): string {
  const origin = exchange.headers["origin"] ?? "";
  const secure = origin.startsWith("https://") || exchange.headers["x-forwarded-proto"] === "https";
  const maxAge = token === "" ? 0 : SESSION_SECONDS;
  return new Bun.Cookie(NAME, token, {
    path: "/",
    maxAge,
    secure,
    httpOnly: true,
    sameSite: "strict",
  }).serialize();
}
