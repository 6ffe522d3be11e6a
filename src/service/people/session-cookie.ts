// The cookie that holds a browser's session: how it is read, set and taken away, always with the same attributes.

import type { Exchange } from "../../kit/http/exchange.ts";
import { SESSION_IDLE_DAYS } from "./schema.ts";

const NAME = "cairn_session";
const SESSION_SECONDS = SESSION_IDLE_DAYS * 86_400;

/** The token in a `Cookie` header; undefined when there is none. */
export function sessionToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(";")) {
    const [name, ...value] = pair.trim().split("=");
    if (name === NAME && value.length > 0 && value[0] !== "") return value.join("=");
  }
  return undefined;
}

/** For `Set-Cookie`; an empty token removes it. `Secure` when the browser came by TLS, which only a proxy in front of us speaks. */
export function sessionCookie(exchange: Exchange, token: string): string {
  const origin = exchange.headers["origin"] ?? "";
  const tls = origin.startsWith("https://") || exchange.headers["x-forwarded-proto"] === "https";
  const age = token === "" ? 0 : SESSION_SECONDS;
  const cookie = `${NAME}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}`;
  return tls ? `${cookie}; Secure` : cookie;
}
