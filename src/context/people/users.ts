// Rules for people and their tokens. Every change runs in one transaction, is on the audit record with what came of it, and counts from the
// next request, also in open streams.

import { rfc3339, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import { newToken, tokenHash } from "../../kit/crypto.ts";
import type { Db } from "../../kit/db.ts";
import { AppError, notFound } from "../../kit/error.ts";
import { nameKey, parseName } from "../../kit/names.ts";
import { checkPasswordShape, hashPassword, verifyPassword } from "../../kit/passwords.ts";
import type { AttemptLimit } from "../../kit/rate.ts";
import type { Audit } from "../audit/audit.ts";
import type { Events } from "../events/events.ts";
import { countedTogether, type ClientAddresses } from "../rate/client-address.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Role } from "../access/schema.ts";
import { requireAdmin, type Actor } from "./actor.ts";
import type { Authentication } from "./authentication.ts";
import {
  BOOTSTRAP_HOURS,
  FAILED_LOGINS_MAX,
  LOCKED_MINUTES,
  SESSION_HOURS,
  type CreateUser,
  type Token,
  type UpdateUser,
  type User,
} from "./schema.ts";
import type { PeopleStore, TokenRow, UserRow } from "./store.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const BAD_LOGIN = "invalid credentials";

export interface UsersDeps {
  readonly db: Db;
  readonly store: PeopleStore;
  readonly authentication: Authentication;
  readonly audit: Audit;
  readonly events: Events;
  readonly clock: Clock;
  /** Undefined: switched off. */
  readonly loginLimit: AttemptLimit | undefined;
  readonly addresses: ClientAddresses;
  readonly tokenTtlDays: number;
}

export interface Issued {
  readonly token: string;
  readonly row: TokenRow;
}

/** How the record, histories and events call the program itself, edits by hand, and the operator of the machine. */
const NO_USER = /^(?:server|working tree|.*\(this machine\))$/;

export class Users {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  /** For the set-up of a server: its first admin, with a token that lasts a day. Raises `conflict` when there are people already. */
  bootstrap(name: string): { token: string; user: string } {
    const { db, store, clock, audit } = this.#deps;
    const parsed = parseName("admin", name);
    const done = db.writeNow(() => {
      if (store.users.all().length > 0)
        throw new AppError("conflict", "this server has its first admin already");
      const now = clock.now();
      const user = store.insertUser.get(parsed.text, parsed.key, "admin", null, now)!;
      const { token } = this.#issue(user, "bootstrap", "first sign-in", now + BOOTSTRAP_HOURS * HOUR_MS);
      return { token, user: user.name };
    });
    audit.record(null, { action: "user.add", target: done.user });
    audit.record(null, { action: "token.create", target: done.user });
    return done;
  }

  list(actor: Actor): User[] {
    requireAdmin(actor);
    return this.#deps.store.users.all().map((row) => this.#toUser(row));
  }

  get(actor: Actor, name: string): User {
    requireAdmin(actor);
    return this.#toUser(this.#row(name));
  }

  create(actor: Actor, input: CreateUser): Promise<{ user: User; token: string }> {
    const { db, store, clock } = this.#deps;
    const deed = { action: "user.add", target: input.name };
    return this.#change(actor, deed, () => {
      const name = parseName("name", input.name);
      if (NO_USER.test(name.key))
        throw new AppError("invalid", `name: "${name.text}" stands for what is no user`);
      return db.write(() => {
        if (store.userByKey.get(name.key))
          throw new AppError("conflict", `name: there is a user "${name.text}" already`);
        const spaces = jsonOrNull(input.spaces);
        const row = store.insertUser.get(name.text, name.key, input.role, spaces, clock.now())!;
        const { token } = this.#issue(row, "token", "first token", null);
        return { user: this.#toUser(row), token };
      });
    });
  }

  update(actor: Actor, name: string, input: UpdateUser): Promise<User> {
    const { db, store } = this.#deps;
    return this.#change(actor, { action: "user.role", target: name }, () =>
      db.write(() => {
        const row = this.#row(name);
        const role = input.role ?? row.role;
        if (row.role === "admin" && role !== "admin") this.#refuseLastAdmin(row, "demoted");
        const spaces = input.spaces === undefined ? row.spaces : jsonOrNull(input.spaces);
        store.setRole.run(role, spaces, row.id);
        return this.#toUser(this.#row(name));
      }),
    );
  }

  remove(actor: Actor, name: string): Promise<void> {
    const { db, store } = this.#deps;
    return this.#change(actor, { action: "user.remove", target: name }, () =>
      db.write(() => {
        const row = this.#row(name);
        this.#refuseLastAdmin(row, "removed");
        store.deleteUser.run(row.id);
      }),
    );
  }

  /** All tokens of a disabled user are revoked at once. */
  disable(actor: Actor, name: string): Promise<User> {
    const { db, store } = this.#deps;
    return this.#change(actor, { action: "user.disable", target: name }, () =>
      db.write(() => {
        const row = this.#row(name);
        this.#refuseLastAdmin(row, "disabled");
        store.setDisabled.run(1, row.id);
        store.deleteTokensOf.run(row.id);
        return this.#toUser(this.#row(name));
      }),
    );
  }

  enable(actor: Actor, name: string): Promise<User> {
    const { db, store } = this.#deps;
    return this.#change(actor, { action: "user.enable", target: name }, () =>
      db.write(() => {
        const row = this.#row(name);
        store.setDisabled.run(0, row.id);
        store.setFailures.run(0, null, row.id);
        return this.#toUser(this.#row(name));
      }),
    );
  }

  async setPassword(actor: Actor, name: string, password: string): Promise<void> {
    const { db, store } = this.#deps;
    await this.#change(actor, { action: "user.password", target: name }, async () => {
      checkPasswordShape(password);
      this.#row(name);
      const hash = await hashPassword(password);
      await db.write(() => {
        const row = this.#row(name);
        store.setPassword.run(hash, row.id);
        // Whoever knew the old one may have got tokens by it; the one that sets the new one stays.
        for (const token of store.tokensOf.all(row.id))
          if (token.id !== actor.tokenId && token.kind === "session") store.deleteToken.run(token.id, row.id);
      });
    });
  }

  tokens(actor: Actor, name: string): Token[] {
    requireAdmin(actor);
    return this.#validTokens(this.#row(name)).map((row) => this.#toToken(row));
  }

  createToken(actor: Actor, name: string, label: string): Promise<Token & { token: string }> {
    const { db } = this.#deps;
    return this.#change(actor, { action: "token.create", target: name }, () =>
      db.write(() => {
        const row = this.#row(name);
        if (row.disabled !== 0)
          throw new AppError("refused", `${row.name} is disabled; enable the account first`);
        const issued = this.#issue(row, "token", label.trim(), null);
        return { ...this.#toToken(issued.row), token: issued.token };
      }),
    );
  }

  revokeToken(actor: Actor, name: string, id: number): Promise<void> {
    const { db, store } = this.#deps;
    return this.#change(actor, { action: "token.revoke", target: name }, () =>
      db.write(() => {
        const row = this.#row(name);
        if (store.deleteToken.run(id, row.id) === 0) throw notFound("token", id);
      }),
    );
  }

  revokeTokens(actor: Actor, name: string): Promise<{ user: string; revoked: number }> {
    const { db, store } = this.#deps;
    return this.#change(actor, { action: "token.revoke", target: name }, () =>
      db.write(() => {
        const row = this.#row(name);
        return { user: row.name, revoked: store.deleteTokensOf.run(row.id) };
      }),
    );
  }

  whoAmI({ name, rights, auth }: Actor): {
    name: string;
    role: Role;
    spaces: string[] | null;
    auth: Actor["auth"];
  } {
    return { name, role: rights.role, spaces: rights.spaces(), auth };
  }

  /** The same answer, and the same work, for every way to fail. Raises `unauthenticated`, `rate_limited`. */
  async login(
    from: Exchange,
    name: string,
    password: string,
  ): Promise<{ user: User; token: string; expires_at: string }> {
    const { db, store, clock, audit, events, addresses } = this.#deps;
    const address = addresses.of(from);
    this.#countLogin(from, name, address);
    const row = store.userByKey.get(nameKey(name)) ?? undefined;
    const matches = await verifyPassword(password, row?.password_hash ?? null);
    const outcome = await db.write(() => this.#decideLogin(row && store.userById.get(row.id), matches));
    const who = {
      name: row?.name ?? name.slice(0, 100),
      auth: "none" as const,
      tokenId: null,
      validUntil: null,
    };
    const rights = this.#deps.authentication.rightsOf(row ?? NOBODY);
    const actor: Actor = {
      ...who,
      role: rights.role,
      rights,
      address: () => address,
      requestId: from.id,
    };
    if (outcome === "refused" || outcome === "locked") {
      const error = new AppError("unauthenticated", BAD_LOGIN);
      audit.record(
        actor,
        { action: outcome === "locked" ? "auth.locked" : "auth.login", target: who.name },
        error,
      );
      if (outcome === "locked")
        events.announce({ type: "auth.locked", actor: who.name, data: { user: who.name } });
      throw error;
    }
    audit.record(actor, { action: "auth.login", target: who.name });
    events.announce({ type: "auth.login", actor: who.name, data: { user: who.name } });
    const expires = clock.now() + SESSION_HOURS * HOUR_MS;
    return {
      user: this.#toUser(store.userById.get(row!.id)!),
      token: outcome.token,
      expires_at: rfc3339(expires),
    };
  }

  /** Raises `rate_limited`. On record once for a row of refusals: the others say nothing new. */
  #countLogin(from: Exchange, name: string, address: string): void {
    const { loginLimit, audit, authentication } = this.#deps;
    let isNews = false;
    try {
      loginLimit?.take(countedTogether(address), (left, isFirstRefusal) => {
        from.allowance = left;
        isNews = isFirstRefusal;
      });
    } catch (error) {
      const who = { name: name.slice(0, 100), auth: "none" as const, tokenId: null, validUntil: null };
      const rights = authentication.rightsOf(NOBODY);
      const actor = { ...who, role: rights.role, rights, address: () => address, requestId: from.id };
      if (isNews) audit.record(actor, { action: "auth.login", target: who.name }, error);
      throw error;
    }
  }

  async logout(actor: Actor): Promise<void> {
    const { db, store, authentication, audit, events } = this.#deps;
    if (actor.tokenId === null) return;
    const row = this.#row(actor.name);
    await db.write(() => store.deleteToken.run(actor.tokenId!, row.id));
    authentication.forget();
    events.rightsChanged();
    audit.record(actor, { action: "token.revoke", target: actor.name });
    events.announce({ type: "token.revoke", actor: actor.name, data: { user: actor.name } });
  }

  /** Inside a write. */
  #decideLogin(row: UserRow | null | undefined, matches: boolean): Issued | "refused" | "locked" {
    const { store, clock } = this.#deps;
    const now = clock.now();
    if (!row || row.disabled !== 0) return "refused";
    if (row.locked_until !== null && now < row.locked_until) return "refused";
    if (matches) {
      if (row.failed_logins > 0) store.setFailures.run(0, null, row.id);
      return this.#issue(row, "session", "sign-in", now + SESSION_HOURS * HOUR_MS);
    }
    // Who has no password can't be locked out of it.
    if (row.password_hash === null) return "refused";
    const failed = (row.locked_until === null ? row.failed_logins : 0) + 1;
    const locks = failed >= FAILED_LOGINS_MAX;
    store.setFailures.run(locks ? 0 : failed, locks ? now + LOCKED_MINUTES * MINUTE_MS : null, row.id);
    return locks ? "locked" : "refused";
  }

  /** Admins only; recorded whatever comes of it; what is cached of people is forgotten. */
  async #change<T>(
    actor: Actor,
    deed: { action: string; target: string },
    act: () => Promise<T>,
  ): Promise<T> {
    const { audit, authentication, events } = this.#deps;
    const done = await audit.watched(actor, deed, async () => {
      requireAdmin(actor);
      return act();
    });
    authentication.forget();
    events.rightsChanged();
    if (EVENTS.has(deed.action))
      events.announce({ type: deed.action, actor: actor.name, data: { user: deed.target } });
    return done;
  }

  /** Inside a write. */
  #issue(user: UserRow, kind: TokenRow["kind"], label: string, expiresAt: number | null): Issued {
    const { store, clock } = this.#deps;
    const token = newToken();
    return {
      token,
      row: store.insertToken.get(user.id, tokenHash(token), kind, label, clock.now(), expiresAt)!,
    };
  }

  #row(name: string): UserRow {
    const row = this.#deps.store.userByKey.get(nameKey(name));
    if (!row) throw notFound("user", name);
    return row;
  }

  #refuseLastAdmin(row: UserRow, what: string): void {
    if (row.role === "admin" && row.disabled === 0 && !this.#deps.store.otherAdmin.get(row.id))
      throw new AppError(
        "refused",
        `${row.name} is the last admin and can't be ${what}; make somebody else admin first`,
      );
  }

  #validTokens(row: UserRow): TokenRow[] {
    const { store, clock } = this.#deps;
    const now = clock.now();
    return store.tokensOf.all(row.id).filter((token) => (this.#expiryOf(token) ?? Infinity) > now);
  }

  #expiryOf({ created_at, expires_at }: TokenRow): number | null {
    const days = this.#deps.tokenTtlDays;
    const aged = days === 0 ? null : created_at + days * 24 * HOUR_MS;
    if (aged === null || expires_at === null) return aged ?? expires_at;
    return Math.min(aged, expires_at);
  }

  #toToken(row: TokenRow): Token {
    return {
      id: row.id,
      kind: row.kind,
      label: row.label,
      created_at: rfc3339(row.created_at),
      last_used_at: rfc3339OrNull(row.last_used_at),
      expires_at: rfc3339OrNull(this.#expiryOf(row)),
    };
  }

  #toUser(row: UserRow): User {
    const locked = row.locked_until !== null && row.locked_until > this.#deps.clock.now();
    return {
      name: row.name,
      role: row.role,
      spaces: row.spaces === null ? null : (JSON.parse(row.spaces) as string[]),
      has_password: row.password_hash !== null,
      disabled: row.disabled !== 0,
      locked_until: rfc3339OrNull(locked ? row.locked_until : null),
      tokens: this.#validTokens(row).length,
      created_at: rfc3339(row.created_at),
    };
  }
}

function jsonOrNull(names: readonly string[] | null | undefined): string | null {
  return names === null || names === undefined ? null : JSON.stringify(names);
}

const EVENTS = new Set([
  "user.add",
  "user.role",
  "user.disable",
  "user.enable",
  "token.create",
  "token.revoke",
]);
/** For the record of a login under a name that nobody has. */
const NOBODY = { id: 0, role: "viewer", spaces: "[]" } as UserRow;
