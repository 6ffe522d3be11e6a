// Authenticates a request by its bearer token, session cookie or the loopback privilege, in this order.
//
// An invalid credential is always 401: no other method is tried. Tokens are cached by hash, and a caller keeps the role it last read. A
// change of people invalidates both within its own write, and nothing is cached until that write is durable. Last-used times are written
// in batches, at most once a minute.

import { DAY_MS, type Clock } from "../../kit/clock.ts";
import { TOKEN_CHARACTERS_MAX, tokenHash } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { badCredential, bearerOf, noCredential, TOKEN_REQUIRED } from "../../kit/http/bearer.ts";
import type { ClientAddresses } from "../../kit/http/client-address.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { LastUsed } from "../../kit/storage/last-used.ts";
import type { Log } from "../../kit/log.ts";
import type { Caller } from "../identity/caller.ts";
import type { Role } from "../identity/schema.ts";
import { SESSION_IDLE_DAYS } from "./schema.ts";
import { sessionCookie, sessionToken } from "./session-cookie.ts";
import type { PeopleStore, TokenRow } from "./store.ts";

/** The route by which a page learns that it is signed out. */
const WHOAMI = "/api/v1/whoami";
const CACHED_TOKENS_MAX = 1000;

interface AuthenticationDeps {
  readonly store: PeopleStore;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly addresses: ClientAddresses;
}

export class Authentication {
  readonly #store: PeopleStore;
  readonly #clock: Clock;
  readonly #addresses: ClientAddresses;
  readonly #tokens = new Map<string, TokenRow>();
  readonly #used: LastUsed;
  #admin: { id: number; name: string } | undefined;
  /** Incremented by every change of users or tokens, which makes roles read earlier stale. */
  #generation = 0;
  /** True while a change is not yet durable: it may be rolled back, so nothing read now is cached. */
  #changing = false;

  constructor({ store, db, clock, log, addresses }: AuthenticationDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#addresses = addresses;
    this.#used = new LastUsed(db, log, (id, time) => store.touchToken.run(time, id));
  }

  /** Raises `unauthenticated`. */
  caller(exchange: Exchange): Caller {
    const authorization = exchange.headers["authorization"];
    if (authorization !== undefined) {
      return this.#byToken(exchange, bearerOf(authorization)) ?? refuseToken(exchange);
    }
    const session = sessionToken(exchange.headers["cookie"]);
    if (session !== undefined) return this.#byToken(exchange, session) ?? refuseSession(exchange);
    if (exchange.loopbackPrivilege()) return this.#loopbackAdmin(exchange);
    throw noCredential(exchange.privilegeLostBy());
  }

  /** Returns the caller with their current role, for work that outlives its request; undefined when the credential or the user is gone. */
  renewed(caller: Caller): Caller | undefined {
    const role = this.#roleOf(caller);
    return role && { ...caller, role };
  }

  /** The user's current role; undefined when there is no such user. */
  roleOfUser(userId: number): Role | undefined {
    return this.#store.roleOfUser.get(userId)?.role;
  }

  /** Call it at the beginning of a write that changes users or tokens. */
  changing(): void {
    this.#changing = true;
    this.#clear();
  }

  /** Call it once that write is durable or rolled back. */
  changed(): void {
    this.#changing = false;
    this.#clear();
  }

  /** Writes the collected last-used times. Also called at shutdown. */
  flushLastUsed(): Promise<void> {
    return this.#used.flush();
  }

  /** Undefined when the token is unknown, revoked or expired. */
  #byToken(exchange: Exchange, token: string): Caller | undefined {
    const row = this.#lookUp(token);
    const now = this.#clock.now();
    const lastUsed = row && (this.#used.get(row.token_id) ?? row.last_used_at ?? row.created_at);
    if (!row || (row.kind === "session" && now - lastUsed! > SESSION_IDLE_DAYS * DAY_MS)) return undefined;
    // Update the cached row too: once the collected times are flushed, the next idle check reads it.
    row.last_used_at = now;
    this.#used.mark(row.token_id, now);
    const auth = row.kind === "session" ? "session" : "token";
    return this.#caller(exchange, { id: row.user_id, name: row.name, role: row.role }, auth, row.token_id);
  }

  #lookUp(token: string): TokenRow | undefined {
    if (token.length > TOKEN_CHARACTERS_MAX) return undefined;
    const hash = tokenHash(token);
    const cached = this.#tokens.get(hash);
    if (cached) return cached;
    const row = this.#store.tokenByHash.get(hash);
    if (!row || this.#changing) return row ?? undefined;
    if (this.#tokens.size >= CACHED_TOKENS_MAX) this.#tokens.clear();
    this.#tokens.set(hash, row);
    return row;
  }

  #loopbackAdmin(exchange: Exchange): Caller {
    const admin = this.#admin ?? this.#store.firstAdmin.get();
    if (!admin) throw new Error("there is no admin");
    if (!this.#changing) this.#admin = admin;
    return this.#caller(exchange, { ...admin, role: "admin" }, "loopback", null);
  }

  /** `role` has just been read; it stays valid until the next change of people. */
  #caller(
    exchange: Exchange,
    { id, name, role }: { id: number; name: string; role: Role },
    auth: Caller["auth"],
    tokenId: number | null,
  ): Caller {
    let known: Role | undefined = role;
    let generation = this.#changing ? -1 : this.#generation;
    const roleNow = () => {
      if (generation !== this.#generation) {
        known = this.#roleOf({ userId: id, tokenId });
        generation = this.#changing ? -1 : this.#generation;
      }
      if (known === undefined) throw badCredential();
      return known;
    };
    const address = () => this.#addresses.of(exchange);
    return new PresentCaller({ userId: id, name, auth, tokenId, requestId: exchange.id, address }, roleNow);
  }

  /** Reads the role from the store; undefined when the credential or the user is gone. */
  #roleOf({ userId, tokenId }: Pick<Caller, "userId" | "tokenId">): Role | undefined {
    return tokenId === null ? this.roleOfUser(userId) : this.#store.roleOfToken.get(tokenId)?.role;
  }

  #clear(): void {
    this.#generation += 1;
    this.#tokens.clear();
    this.#admin = undefined;
  }
}

/** A class, because an object literal with an accessor costs more than the rest of authentication. */
class PresentCaller implements Caller {
  readonly userId: number;
  readonly name: string;
  readonly auth: Caller["auth"];
  readonly tokenId: number | null;
  readonly requestId: string;
  readonly address: () => string;
  readonly #roleNow: () => Role;

  constructor(facts: Omit<Caller, "role">, roleNow: () => Role) {
    this.userId = facts.userId;
    this.name = facts.name;
    this.auth = facts.auth;
    this.tokenId = facts.tokenId;
    this.requestId = facts.requestId;
    this.address = facts.address;
    this.#roleNow = roleNow;
  }

  get role(): Role {
    return this.#roleNow();
  }
}

/** Only a program on this machine, which needs no token, learns that the one it sent is invalid. `details` say it to every program. */
function refuseToken(exchange: Exchange): never {
  throw badCredential(exchange.loopbackPrivilege() ? undefined : TOKEN_REQUIRED);
}

/**
 * A page cannot remove the cookie, and a stale one would lock out a browser on loopback. Only the answer that a page waits for before it shows the login
 * clears it: any other may arrive after the login, and would clear the new one.
 */
function refuseSession(exchange: Exchange): never {
  if (exchange.path === WHOAMI) exchange.errorCookie = sessionCookie(exchange, "");
  refuseToken(exchange);
}
