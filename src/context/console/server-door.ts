// The door of a server's console: the session cookie, looked up in the store for every request, counted against the rate limit of its person.

import { AppError } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { noCredential } from "../../kit/http/bearer.ts";
import type { Caller } from "../identity/caller.ts";
import type { Audit } from "../audit/audit.ts";
import type { Sessions } from "../people/sessions.ts";
import type { RateLimits } from "../rate/rate-limits.ts";
import { csrfOf, VisitorDoor, type ConsoleCookies, type ConsoleDoor, type Entered } from "./door.ts";

interface ServerDoorDeps {
  readonly sessions: Pick<Sessions, "caller">;
  readonly limits: RateLimits;
  readonly cookies: ConsoleCookies;
  readonly audit: Pick<Audit, "record">;
}

export class ServerDoor implements ConsoleDoor {
  readonly isSignedIn = true;
  readonly #deps: ServerDoorDeps;

  constructor(deps: ServerDoorDeps) {
    this.#deps = deps;
  }

  enter(exchange: Exchange): Entered {
    const { cookies } = this.#deps;
    const session = cookies.read(exchange, "session");
    const caller = this.#counted(exchange, session);
    if (caller && session !== undefined) return { caller, csrf: csrfOf(session), cookies: [] };
    return new VisitorDoor(cookies).enter(exchange);
  }

  refused(caller: Caller, exchange: Exchange, error: AppError): void {
    const target = `${exchange.method} ${exchange.route ?? exchange.path}`;
    this.#deps.audit.record(caller, { action: "request.refused", target }, error);
  }

  /** Everyone who is not signed in counts against their address, as at the API. */
  #counted(exchange: Exchange, session: string | undefined): Caller | undefined {
    const { sessions, limits } = this.#deps;
    const find = () => {
      const caller = session === undefined ? undefined : sessions.caller(exchange, session);
      if (!caller) throw noCredential();
      return caller;
    };
    try {
      return limits.counted(exchange, find, (refusal, who) => who && this.refused(who, exchange, refusal));
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthenticated") return undefined;
      throw error;
    }
  }
}
