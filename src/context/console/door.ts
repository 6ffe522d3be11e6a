// The door of the console: who a request comes from. A signed-in person has a session cookie; everyone else has a visitor cookie, which ties the
// form for signing in to one browser. Cookies are HttpOnly and SameSite=Strict, and have the `__Host-` prefix under TLS.

import { isSameSecret, sha256Hex } from "../../kit/crypto.ts";
import { AppError } from "../../kit/error.ts";
import type { AddressList } from "../../kit/http/client-address.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Scheme } from "../../kit/http/guard.ts";
import { randomSecret } from "../../kit/random.ts";
import type { Caller } from "../identity/caller.ts";

const SECRET_BITS = 256;

type CookieKind = "session" | "visitor";

export interface Entered {
  /** Undefined: not signed in. */
  readonly caller: Caller | undefined;
  readonly csrf: string;
  /** `Set-Cookie` values of the answer. */
  readonly cookies: readonly string[];
}

export interface ConsoleDoor {
  /** Raises `rate_limited`. */
  enter(exchange: Exchange): Entered;
  /** Records that a form was not from a page of this session. */
  refused?(caller: Caller, exchange: Exchange, error: AppError): void;
  readonly isSignedIn: boolean;
}

/** Names and attributes of the cookies of one server. Browsers do not separate cookies by port, so names contain it. */
export class ConsoleCookies {
  /** Of the server itself, not of a proxy. */
  readonly scheme: Scheme;
  readonly #port: () => number;
  readonly #proxies: Pick<AddressList, "includes">;

  constructor(port: () => number, proxies: Pick<AddressList, "includes">, scheme: Scheme = "http") {
    this.scheme = scheme;
    this.#port = port;
    this.#proxies = proxies;
  }

  read(exchange: Exchange, kind: CookieKind): string | undefined {
    const header = exchange.headers["cookie"];
    if (header === undefined) return undefined;
    const cookies = new Bun.CookieMap(header);
    const proven = cookies.get(this.#name(kind, "secure"));
    if (proven) return proven;
    // Another host of the domain can set a cookie without the prefix, so it does not count where TLS is certain.
    return this.#isBehindTls(exchange) ? undefined : cookies.get(this.#name(kind, "plain")) || undefined;
  }

  /** Returns a `Set-Cookie` value; an empty secret clears the cookie. It ends with the browser, and the session on the server before that. */
  set(exchange: Exchange, kind: CookieKind, secret: string): string {
    const secure = exchange.headers["origin"]?.startsWith("https://") === true || this.#isBehindTls(exchange);
    return new Bun.Cookie(this.#name(kind, secure ? "secure" : "plain"), secret, {
      path: "/",
      secure,
      httpOnly: true,
      sameSite: "strict",
      ...(secret === "" ? { maxAge: 0 } : {}),
    }).serialize();
  }

  #name(kind: CookieKind, how: "secure" | "plain"): string {
    return `${how === "secure" ? "__Host-" : ""}cairn-${kind}-${this.#port()}`;
  }

  /** TLS ends here, or at a proxy, whose header counts if the configuration trusts it. */
  #isBehindTls(exchange: Exchange): boolean {
    if (this.scheme === "https") return true;
    return exchange.headers["x-forwarded-proto"] === "https" && this.#proxies.includes(exchange.peer() ?? "");
  }
}

/** A door for pages that nobody signs in to. */
export class VisitorDoor implements ConsoleDoor {
  readonly isSignedIn = false;
  readonly #cookies: ConsoleCookies;

  constructor(cookies: ConsoleCookies) {
    this.#cookies = cookies;
  }

  enter(exchange: Exchange): Entered {
    const known = this.#cookies.read(exchange, "visitor");
    const visitor = known ?? visitorSecret();
    const set = known === undefined ? [this.#cookies.set(exchange, "visitor", visitor)] : [];
    return { caller: undefined, csrf: csrfOf(visitor), cookies: set };
  }
}

/** Returns a new secret for a visitor. */
export function visitorSecret(): string {
  return randomSecret(SECRET_BITS);
}

/** Returns the CSRF token that belongs to a cookie. It reveals nothing about the cookie. */
export function csrfOf(secret: string): string {
  return sha256Hex(`console form ${secret}`);
}

/** Raises `forbidden` unless the form has the token of this browser's cookie. Takes the same time for every wrong token. */
export function requireCsrf(given: string, expected: string): void {
  if (isSameSecret(given, expected)) return;
  throw new AppError("forbidden", "this form has expired; open the page again and repeat the change", {
    form: "expired",
  });
}
