// Authenticates requests. Tokens are looked up by hash and checked on every request: age, expiry, disabled users. A bounded cache holds lookups;
// every change of users clears it in the step that commits. Inside a write, the store is read directly.

import { DAY_MS, type Clock } from "../../kit/clock.ts";
import { TOKEN_CHARACTERS_MAX, tokenHash } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { badCredential, bearerOf, noCredential } from "../../kit/http/bearer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { LastUsed } from "../../kit/storage/last-used.ts";
import type { Log } from "../../kit/log.ts";
import { Rights } from "../access/rights.ts";
import type { AclRule } from "../access/schema.ts";
import type { ClientAddresses } from "../../kit/http/client-address.ts";
import { callerWith, localCaller, type Caller } from "../identity/caller.ts";
import { nameKey } from "../../kit/text/names.ts";
import type { PeopleRecords } from "./records.ts";
import { spacesOf } from "./space-names.ts";
import type { PeopleStore, TokenRow, UserRow } from "./store.ts";

const CACHED_TOKENS_MAX = 10_000;

interface Known {
  readonly token: TokenRow;
  readonly user: UserRow;
  readonly rights: Rights;
}

interface AuthenticationDeps {
  readonly store: PeopleStore;
  readonly records: PeopleRecords;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly addresses: ClientAddresses;
  /** `auth.token_ttl`; 0: tokens do not expire. */
  readonly tokenTtlDays: number;
}

export class Authentication {
  readonly #deps: AuthenticationDeps;
  readonly #known = new Map<string, Known>();
  readonly #used: LastUsed;
  /** The operator's token, valid while this process runs (people/local-door.ts). */
  #localHash: string | undefined;
  #localName = "";
  readonly #usersNamed = new Map<string, { readonly rights: Rights; readonly since: number }>();
  readonly #watchers = new Set<() => void>();
  /** Increases with every change of users, which makes earlier lookups stale. */
  #generation = 0;

  constructor(deps: AuthenticationDeps) {
    this.#deps = deps;
    const { db, log, store } = deps;
    this.#used = new LastUsed(db, log, (id, time) => store.touchToken.run(time, id));
  }

  /** Accepts this token from programs on this machine as the operator, an admin. The token is not valid through a proxy. */
  openLocalDoor(token: string, name: string): void {
    this.#localHash = tokenHash(token);
    this.#localName = name;
  }

  /** Reports whether the request has the token of the local door. Raises `unauthenticated` without one. */
  isOperator({ headers }: Exchange): boolean {
    const { authorization } = headers;
    if (authorization === undefined) throw noCredential();
    const token = bearerOf(authorization);
    return token.length <= TOKEN_CHARACTERS_MAX && tokenHash(token) === this.#localHash;
  }

  /** Raises `unauthenticated`. */
  caller(exchange: Exchange): Caller {
    const authorization = exchange.headers["authorization"];
    if (authorization === undefined) throw noCredential();
    const caller = this.byToken(exchange, bearerOf(authorization));
    if (!caller) throw badCredential();
    return caller;
  }

  /** Undefined if the token is unknown, revoked or expired, or its user is disabled. */
  byToken(exchange: Exchange, token: string): Caller | undefined {
    if (token.length > TOKEN_CHARACTERS_MAX) return undefined;
    const hash = tokenHash(token);
    const about = { address: this.#addressOf(exchange), requestId: exchange.id };
    if (hash === this.#localHash)
      return exchange.isDirectLocal() ? localCaller(this.#localName, about) : undefined;
    const known = this.#lookUp(hash);
    if (!known) return undefined;
    this.#used.mark(known.token.id, this.#deps.clock.now());
    const generation = this.#generation;
    const validUntil = this.#deps.records.expiryOf(known.token);
    const { token: row, user, rights } = known;
    const auth = row.kind === "session" ? "session" : "token";
    return callerWith({ name: user.name, auth, role: rights.role, tokenId: row.id }, about, () => {
      const unchanged = generation === this.#generation && !this.#deps.db.isWriting;
      return unchanged && this.#isBefore(validUntil) ? known.rights : this.#rightsNow(hash);
    });
  }

  /** A user whom a transport has proven by itself, such as SSH by a public key. Undefined if unknown or disabled. Not for use inside a write. */
  byName(name: string, about: Pick<Caller, "address" | "requestId">): Caller | undefined {
    const { store, db } = this.#deps;
    const user = store.userByKey.get(nameKey(name));
    if (!user || user.disabled !== 0) return undefined;
    let generation = -1;
    let known: Rights | undefined;
    const rights = (): Rights => {
      if (known !== undefined && generation === this.#generation && !db.isWriting) return known;
      const now = store.userById.get(user.id);
      if (!now || now.disabled !== 0 || !isSamePerson(now, user))
        throw badCredential("the account was disabled or deleted");
      generation = this.#generation;
      known = rightsOf(store, now);
      return known;
    };
    return callerWith({ name: user.name, auth: "ssh", role: rights().role, tokenId: null }, about, rights);
  }

  /** Calls `changed` after each change of users, tokens or rules, until the returned function is called. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  #rightsNow(hash: string): Rights {
    const known = this.#lookUp(hash);
    if (known) return known.rights;
    throw badCredential("the token was revoked or has expired");
  }

  /** Resolved immediately for requests that may be audited, because the address is lost when the client disconnects. */
  #addressOf(exchange: Exchange): () => string {
    const { addresses } = this.#deps;
    if (exchange.method === "GET") return () => addresses.of(exchange);
    const address = addresses.of(exchange);
    return () => address;
  }

  rightsOf(user: UserRow): Rights {
    return rightsOf(this.#deps.store, user);
  }

  /**
   * Returns the rights of the user who had this name at that time; undefined if unknown, disabled or removed, also if someone else has the name now.
   * Not for use inside a write.
   */
  rightsNamed(name: string, at: number): Rights | undefined {
    const known = this.#usersNamed.get(name) ?? this.#activeNamed(name);
    return known && known.since <= at ? known.rights : undefined;
  }

  #activeNamed(name: string) {
    const user = this.#deps.store.userByKey.get(nameKey(name));
    if (!user || user.disabled !== 0) return undefined;
    const known = { rights: rightsOf(this.#deps.store, user), since: user.created_at };
    this.#usersNamed.set(name, known);
    return known;
  }

  /** Returns the first time at which `rightsNamed` knows who has this name now; 0 if nobody has. */
  sinceNamed(name: string): number {
    return this.#deps.store.userByKey.get(nameKey(name))?.created_at ?? 0;
  }

  /** `at`: as for `rightsNamed`. */
  stateNamed(name: string, at = Infinity): "active" | "disabled" | "gone" {
    const user = this.#deps.store.userByKey.get(nameKey(name));
    if (!user || user.created_at > at) return "gone";
    return user.disabled === 0 ? "active" : "disabled";
  }

  /** Called in the step that commits a change of users, tokens or rules. */
  forget(): void {
    this.#generation += 1;
    this.#usersNamed.clear();
    this.#known.clear();
    for (const changed of this.#watchers) changed();
  }

  pruneExpired(): void {
    const { db, store, clock, tokenTtlDays } = this.#deps;
    const now = clock.now();
    db.writeNow(() => {
      store.deleteExpired.run(now);
      if (tokenTtlDays > 0) store.deleteBefore.run(now - tokenTtlDays * DAY_MS);
    });
  }

  /** Writes the collected last-used times; also called at shutdown. */
  flushLastUsed(): Promise<void> {
    return this.#used.flush();
  }

  /** Undefined if the credential is not valid now. */
  #lookUp(hash: string): Known | undefined {
    const known = this.#deps.db.isWriting
      ? this.#read(hash)
      : (this.#known.get(hash) ?? this.#remembered(hash));
    return known && this.#deps.records.isValid(known.token, known.user) ? known : undefined;
  }

  #remembered(hash: string): Known | undefined {
    const known = this.#read(hash);
    if (!known) return undefined;
    if (this.#known.size >= CACHED_TOKENS_MAX) this.#known.clear();
    this.#known.set(hash, known);
    return known;
  }

  #read(hash: string): Known | undefined {
    const { store } = this.#deps;
    const token = store.tokenByHash.get(hash);
    const user = token && store.userById.get(token.user_id);
    return token && user ? { token, user, rights: rightsOf(store, user) } : undefined;
  }

  #isBefore(time: number | null): boolean {
    return time === null || this.#deps.clock.now() < time;
  }
}

/** A new user may have the name of a removed one, and the number of the one that was added last. */
function isSamePerson(one: UserRow, other: UserRow): boolean {
  return one.id === other.id && one.name === other.name && one.created_at === other.created_at;
}

export function rightsOf(store: PeopleStore, user: UserRow): Rights {
  return new Rights(user.role, spacesOf(user.spaces), aclOf(store, user));
}

export function aclOf(store: PeopleStore, user: UserRow): AclRule[] {
  return store.rulesOf.all(user.id).map(({ effect, path, capabilities }) => ({
    effect,
    path,
    capabilities: JSON.parse(capabilities) as AclRule["capabilities"],
  }));
}
