// Rules for users, tokens and sessions. Every check runs inside the transaction that acts.

import { rfc3339, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import { newToken, tokenHash } from "../../kit/crypto.ts";
import type { Db } from "../../kit/db.ts";
import { AppError, notFound } from "../../kit/error.ts";
import { countedTogether } from "../../kit/http/client-address.ts";
import { nameKey, parseName } from "../../kit/names.ts";
import type { AttemptLimit } from "../../kit/rate.ts";
import type { Audit } from "../audit/audit.ts";
import type { Authentication } from "./authentication.ts";
import { requireAdmin, type Caller } from "./caller.ts";
import { checkPasswordShape, hashPassword, verifyPassword } from "../../kit/passwords.ts";
import { SESSION_IDLE_DAYS, type Role, type User, type WhoAmI } from "./schema.ts";
import type { PeopleStore, UserRow } from "./store.ts";

const DAY_MS = 86_400_000;
const BAD_LOGIN = "invalid username or password";

export interface UsersDeps {
  db: Db;
  store: PeopleStore;
  authentication: Authentication;
  audit: Audit;
  clock: Clock;
  loginLimit: AttemptLimit;
  /** Called after every change of users or tokens: open streams check their rights again. */
  rightsChanged: () => void;
}

export class Users {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  /** First start: one admin without a password. Returns the token's text, or undefined when people exist already. */
  seedAdmin(seed: string | undefined): { token: string; given: boolean } | undefined {
    const { db, store, audit, clock } = this.#deps;
    return db.writeNow(() => {
      if (store.firstAdmin.get()) return undefined;
      const token = seed ?? newToken();
      const now = clock.now();
      const { id } = store.insertUser.get("admin", "admin", "admin", now)!;
      store.insertToken.get(id, tokenHash(token), "token", now);
      audit.record(null, {
        action: "user.create",
        target: `user:${id}`,
        detail: { name: "admin", role: "admin" },
      });
      return { token, given: seed !== undefined };
    });
  }

  pruneIdleSessions(): void {
    const { db, store, clock } = this.#deps;
    db.writeNow(() => store.deleteIdleSessions.run(clock.now() - SESSION_IDLE_DAYS * DAY_MS));
  }

  /** One body and the same work for an unknown user, a wrong password and a user without one. Raises `unauthenticated`, `rate_limited`. */
  async login(name: string, password: string, address: string): Promise<{ user: User; token: string }> {
    const { db, store, clock, loginLimit } = this.#deps;
    loginLimit.take(countedTogether(address));
    const found = store.userByKey.get(nameKey(name));
    const verified = await verifyPassword(password, found?.password_hash ?? null);
    if (!verified || !found) throw new AppError("unauthenticated", BAD_LOGIN);
    return db.write(() => {
      const user = store.userById.get(found.id);
      if (user?.password_hash !== found.password_hash) throw new AppError("unauthenticated", BAD_LOGIN);
      const token = newToken();
      store.insertToken.get(user.id, tokenHash(token), "session", clock.now());
      return { user: toUser(store.userById.get(user.id)!), token };
    });
  }

  /** Revokes the token that was presented. With the loopback privilege there is none, and nothing happens. */
  logout(caller: Caller): Promise<void> {
    const { store } = this.#deps;
    return this.#change(() => {
      if (caller.tokenId !== null) store.deleteToken.run(caller.tokenId);
    });
  }

  whoami(caller: Caller): WhoAmI {
    const teams = this.#deps.store.teamIdsOf.all(caller.userId).map((row) => row.team_id);
    return { id: caller.userId, name: caller.name, role: caller.role, auth: caller.auth, team_ids: teams };
  }

  list(caller: Caller): User[] {
    requireAdmin(caller);
    return this.#deps.store.users.all().map(toUser);
  }

  /** The token is shown in this answer only. Raises `invalid`, `conflict`. */
  create(caller: Caller, input: { name: string; role?: Role }): Promise<{ user: User; token: string }> {
    const { store, audit, clock } = this.#deps;
    const name = parseName("name", input.name);
    return this.#change(() => {
      requireAdmin(caller);
      this.#requireFreeName(name.key, name.text);
      const now = clock.now();
      const role = input.role ?? "member";
      const { id } = store.insertUser.get(name.text, name.key, role, now)!;
      const token = newToken();
      store.insertToken.get(id, tokenHash(token), "token", now);
      audit.record(caller, {
        action: "user.create",
        target: `user:${id}`,
        detail: { name: name.text, role },
      });
      return { user: toUser(store.userById.get(id)!), token };
    });
  }

  update(caller: Caller, id: number, input: { name?: string; role?: Role }): Promise<User> {
    const { store, audit } = this.#deps;
    const name = input.name === undefined ? undefined : parseName("name", input.name);
    return this.#change(() => {
      requireAdmin(caller);
      const user = this.#existing(id);
      if (name) {
        this.#requireFreeName(name.key, name.text, id);
        store.renameUser.run(name.text, name.key, id);
        audit.record(caller, {
          action: "user.rename",
          target: `user:${id}`,
          detail: { from: user.name, to: name.text },
        });
      }
      if (input.role !== undefined && input.role !== user.role) {
        if (user.role === "admin") this.#requireAnotherAdmin();
        store.setRole.run(input.role, id);
        audit.record(caller, {
          action: "user.role",
          target: `user:${id}`,
          detail: { from: user.role, to: input.role },
        });
      }
      return toUser(store.userById.get(id)!);
    });
  }

  /** Raises `conflict` while the user owns workspaces, unless they are handed to `transferTo`. */
  remove(caller: Caller, id: number, transferTo: number | undefined): Promise<void> {
    const { store, audit } = this.#deps;
    return this.#change(() => {
      requireAdmin(caller);
      const user = this.#existing(id);
      if (user.role === "admin") this.#requireAnotherAdmin();
      this.#handOverWorkspaces(id, transferTo);
      store.deleteUser.run(id);
      const detail = { name: user.name, ...(transferTo === undefined ? {} : { transfer_to: transferTo }) };
      audit.record(caller, { action: "user.delete", target: `user:${id}`, detail });
    });
  }

  /** Admin: anyone's. Others: their own, with the current one. Revokes the user's other tokens. Raises `invalid`, `forbidden`, `not_found`. */
  async setPassword(
    caller: Caller,
    id: number,
    input: { password: string; current_password?: string },
  ): Promise<void> {
    const { store, audit } = this.#deps;
    checkPasswordShape(input.password);
    if (caller.role !== "admin") await this.#requireOwnPassword(caller, id, input.current_password);
    const hash = await hashPassword(input.password);
    await this.#change(() => {
      const user = this.#existing(id);
      store.setPassword.run(hash, user.id);
      const kept = caller.userId === user.id ? caller.tokenId : null;
      const revoked =
        kept === null ? store.deleteTokensOf.run(user.id) : store.deleteOtherTokensOf.run(user.id, kept);
      audit.record(caller, {
        action: "user.password",
        target: `user:${id}`,
        detail: { tokens_revoked: revoked },
      });
    });
  }

  /** A further token for a user, for example after the first was lost. Shown once. */
  createToken(caller: Caller, id: number): Promise<{ user: User; token: string }> {
    const { store, audit, clock } = this.#deps;
    return this.#change(() => {
      requireAdmin(caller);
      const user = this.#existing(id);
      const token = newToken();
      store.insertToken.get(user.id, tokenHash(token), "token", clock.now());
      audit.record(caller, { action: "token.create", target: `user:${id}` });
      return { user: toUser(store.userById.get(id)!), token };
    });
  }

  /** Revokes every token and session of a user. */
  revokeTokens(caller: Caller, id: number): Promise<{ revoked: number }> {
    const { store, audit } = this.#deps;
    return this.#change(() => {
      requireAdmin(caller);
      const user = this.#existing(id);
      const revoked = store.deleteTokensOf.run(user.id);
      audit.record(caller, { action: "token.revoke", target: `user:${id}`, detail: { revoked } });
      return { revoked };
    });
  }

  /** A write after which cached credentials are read anew, whatever came of it. */
  #change<T>(run: () => T): Promise<T> {
    const { db, authentication, rightsChanged } = this.#deps;
    return db.write(() => {
      db.afterCommit(() => {
        authentication.forget();
        rightsChanged();
      });
      return run();
    });
  }

  #existing(id: number): UserRow {
    const user = this.#deps.store.userById.get(id);
    if (!user) throw notFound("user", id);
    return user;
  }

  #requireFreeName(key: string, text: string, exceptId?: number): void {
    const other = this.#deps.store.userByKey.get(key);
    if (other && other.id !== exceptId)
      throw new AppError("conflict", `name: a user named "${text}" exists already`);
  }

  #requireAnotherAdmin(): void {
    if (this.#deps.store.adminCount.get()!.count > 1) return;
    throw new AppError("conflict", "this is the last admin: make another user an admin first");
  }

  async #requireOwnPassword(caller: Caller, id: number, current: string | undefined): Promise<void> {
    if (caller.userId !== id)
      throw new AppError("forbidden", "only an admin may set someone else's password");
    const user = this.#existing(id);
    if (user.password_hash === null)
      throw new AppError("forbidden", "you have no password yet: an admin sets the first one");
    if (current === undefined) throw new AppError("invalid", "current_password: missing");
    this.#deps.loginLimit.take(`user:${id}`);
    if (!(await verifyPassword(current, user.password_hash))) {
      throw new AppError("forbidden", "current_password: not your current password");
    }
  }

  #handOverWorkspaces(id: number, transferTo: number | undefined): void {
    const { store } = this.#deps;
    const owned = store.ownedWorkspaces.get(id)!.count;
    if (transferTo === undefined) {
      if (owned === 0) return;
      throw new AppError(
        "conflict",
        `the user owns ${owned} workspaces: delete them or name a new owner with ?transfer_to=<user id>`,
        { workspaces: owned },
      );
    }
    if (transferTo === id) throw new AppError("invalid", "query parameter transfer_to: must be another user");
    this.#existing(transferTo);
    const clash = store.workspaceNameClash.get(id, transferTo);
    if (clash) throw new AppError("conflict", `the new owner has a workspace named "${clash.name}" already`);
    store.transferWorkspaces.run(transferTo, id);
  }
}

function toUser(row: UserRow): User {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    has_password: row.password_hash !== null,
    tokens: row.tokens,
    last_used_at: rfc3339OrNull(row.last_used_at),
    created_at: rfc3339(row.created_at),
  };
}
