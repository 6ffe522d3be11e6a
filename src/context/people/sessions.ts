// Sessions of the console: begun by a login, valid for a limited time, ended with the user's rights. The cookie is not a token of the API. A
// session is looked up for every request, so a disabled user is out at once.

import { HOUR_MS, type Clock } from "../../kit/clock.ts";
import { tokenHash, TOKEN_CHARACTERS_MAX } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { ClientAddresses } from "../../kit/http/client-address.ts";
import { badCredential } from "../../kit/http/bearer.ts";
import { isActivity, type Exchange } from "../../kit/http/exchange.ts";
import { LastUsed } from "../../kit/storage/last-used.ts";
import type { Log } from "../../kit/log.ts";
import { randomSecret } from "../../kit/random.ts";
import type { Rights } from "../access/rights.ts";
import { callerWith, type Caller } from "../identity/caller.ts";
import { rightsOf } from "./authentication.ts";
import { CONSOLE_HOURS, CONSOLE_IDLE_HOURS, CONSOLE_SESSIONS_MAX } from "./schema.ts";
import type { SessionRow, SessionStore } from "./session-store.ts";
import type { PeopleStore, UserRow } from "./store.ts";

const SECRET_BITS = 256;

interface SessionsDeps {
  readonly db: Db;
  readonly store: PeopleStore;
  readonly sessions: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly addresses: ClientAddresses;
}

interface Known {
  readonly session: SessionRow;
  readonly user: UserRow;
  readonly rights: Rights;
}

export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #used: LastUsed;
  /** Increases with every change of users, which makes earlier lookups stale. */
  #generation = 0;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#used = new LastUsed(deps.db, deps.log, (id, time) => deps.sessions.touchSession.run(time, id));
  }

  /** Runs inside a write. Returns the secret of the cookie. Someone with too many sessions loses the one used longest ago. */
  begin(user: UserRow): string {
    const { sessions, clock } = this.#deps;
    const secret = randomSecret(SECRET_BITS);
    const now = clock.now();
    sessions.deleteExpiredSessions.run(now - CONSOLE_HOURS * HOUR_MS, now - CONSOLE_IDLE_HOURS * HOUR_MS);
    const present = sessions.sessionsOf.all(user.id);
    for (const { id } of present.slice(0, Math.max(0, present.length - CONSOLE_SESSIONS_MAX + 1)))
      sessions.deleteSession.run(id);
    sessions.insertSession.get({ user_id: user.id, hash: tokenHash(secret), created_at: now, used_at: now });
    return secret;
  }

  /** Undefined if the session is unknown or has expired, or its user is disabled. */
  caller(exchange: Exchange, secret: string): Caller | undefined {
    if (secret.length > TOKEN_CHARACTERS_MAX) return undefined;
    const hash = tokenHash(secret);
    const known = this.#lookUp(hash);
    if (!known) return undefined;
    const { addresses, clock, db } = this.#deps;
    if (isActivity(exchange)) this.#used.mark(known.session.id, clock.now());
    const generation = this.#generation;
    const address = addresses.of(exchange);
    const { user, session, rights } = known;
    const who = {
      name: user.name,
      auth: "session",
      role: rights.role,
      tokenId: null,
      sessionId: session.id,
    } as const;
    return callerWith(who, { address: () => address, requestId: exchange.id }, () => {
      const isUnchanged = generation === this.#generation && !db.isWriting;
      return isUnchanged && this.#isValid(known) ? known.rights : this.#rightsNow(hash);
    });
  }

  /** Runs inside a write. */
  end(id: number): void {
    this.#deps.sessions.deleteSession.run(id);
  }

  /** Runs inside a write. `kept`: the session of the request itself. */
  endAllOf(user: UserRow, kept?: number): void {
    if (kept === undefined) this.#deps.sessions.deleteSessionsOf.run(user.id);
    else this.#deps.sessions.deleteOtherSessionsOf.run(user.id, kept);
  }

  /** Called in the step that commits a change of users, tokens or rules. */
  forget(): void {
    this.#generation += 1;
  }

  /** Writes the collected times of use; also called at shutdown. */
  flush(): Promise<void> {
    return this.#used.flush();
  }

  #rightsNow(hash: string): Rights {
    const known = this.#lookUp(hash);
    if (known) return known.rights;
    throw badCredential("the session has ended; sign in again");
  }

  #lookUp(hash: string): Known | undefined {
    const { sessions, store } = this.#deps;
    const session = sessions.sessionByHash.get(hash);
    const user = session && store.userById.get(session.user_id);
    if (!session || !user) return undefined;
    const known = { session, user, rights: rightsOf(store, user) };
    return this.#isValid(known) ? known : undefined;
  }

  #isValid({ session, user }: Known): boolean {
    const now = this.#deps.clock.now();
    const usedAt = Math.max(session.used_at, this.#used.get(session.id) ?? 0);
    const isFresh =
      now < session.created_at + CONSOLE_HOURS * HOUR_MS && now < usedAt + CONSOLE_IDLE_HOURS * HOUR_MS;
    return isFresh && user.disabled === 0;
  }
}
