// The door of `cairn ui`: admits the one browser that exchanged the key. The person at this machine has every right in their own space.

import { AppError } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { csrfOf, type ConsoleDoor, type Entered } from "../console/door.ts";
import type { Caller } from "../identity/caller.ts";
import type { Entry } from "./entry.ts";

export const ENTER_PATH = "/console/enter";

export class LocalUiDoor implements ConsoleDoor {
  readonly isSignedIn = false;
  readonly #entry: Entry;
  readonly #caller: Caller;

  constructor(entry: Entry, caller: Caller) {
    this.#entry = entry;
    this.#caller = caller;
  }

  /** Raises `unauthenticated` for a page without a session. */
  enter(exchange: Exchange): Entered {
    const session = sessionOf(exchange);
    if (session !== undefined && this.#entry.admits(session))
      return { caller: this.#caller, csrf: csrfOf(session), cookies: [] };
    // A link from another site comes without the cookie; the console answers by a page that loads the same address again.
    const isRetried = exchange.method === "GET" && exchange.headers["sec-fetch-site"] === "cross-site";
    if (exchange.path !== ENTER_PATH && !isRetried)
      throw new AppError(
        "unauthenticated",
        "Open the address that cairn ui printed in its terminal. It works once; press Enter there for a new one.",
      );
    return { caller: undefined, csrf: "", cookies: [] };
  }
}

/** Browsers do not separate cookies by port, so the name contains it. */
function cookieName(exchange: Exchange): string {
  return `cairn-ui-${/[0-9]+$/.exec(exchange.headers["host"] ?? "")?.[0] ?? ""}`;
}

function sessionOf(exchange: Exchange): string | undefined {
  const header = exchange.headers["cookie"];
  return header === undefined ? undefined : new Bun.CookieMap(header).get(cookieName(exchange)) || undefined;
}

/** Returns a `Set-Cookie` value. The cookie ends with the browser, and the session with the program. */
export function sessionCookie(exchange: Exchange, session: string): string {
  return new Bun.Cookie(cookieName(exchange), session, {
    path: "/",
    httpOnly: true,
    sameSite: "strict",
  }).serialize();
}

/** Reports whether this browser has the session already. */
export function hasSession(exchange: Exchange, entry: Entry): boolean {
  const session = sessionOf(exchange);
  return session !== undefined && entry.admits(session);
}
