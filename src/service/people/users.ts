// Rules for users, tokens and sessions. Every check runs inside the transaction that acts. The audit record comes before the act, because
// people who change themselves may lose the credential that the record names.

import { DAY_MS, rfc3339, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import { newToken, tokenHash } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, badParameter, fieldError, notFound } from "../../kit/error.ts";
import { countedTogether } from "../../kit/http/client-address.ts";
import { nounFor, plural } from "../../kit/text/amounts.ts";
import { nameKey, parseName } from "../../kit/text/names.ts";
import type { RateLimit } from "../../kit/http/rate.ts";
import type { Audit, Stranger } from "../audit/audit.ts";
import type { Refusals } from "../audit/refusals.ts";
import type { Authentication } from "./authentication.ts";
import { requireAdmin, requireSignedIn, type Caller } from "../identity/caller.ts";
import { checkPasswordShape, hashPassword, verifyPassword } from "../../kit/secrets/passwords.ts";
import type { Role } from "../identity/schema.ts";
import { SESSION_IDLE_DAYS, type User, type WhoAmI } from "./schema.ts";
import type { PeopleStore, UserRow } from "./store.ts";

const NOT_CURRENT = "current_password: not your current password";
const BAD_LOGIN = "invalid username or password";

/** Credentials of a user that are revoked, together with the work started under them. */
export interface Revocation {
  readonly userId: number;
  /** `none` revokes every credential. Otherwise the loopback privilege and this token stay valid: they are the person's own. */
  readonly kept: "none" | { readonly tokenId: number | null };
  /** A clause to show to people. */
  readonly reason: string;
}

/** Ownership of workspaces, for use inside the write that deletes a user. */
export interface OwnedWorkspaces {
  /** Gives unfinished clones and workspaces that are being deleted, which nobody sees, to any other user. */
  releaseUnfinished(userId: number): void;
  countOf(userId: number): number;
  /** Raises `conflict` when the new owner has a workspace of the same name. */
  transfer(from: number, to: number): void;
}

export interface UsersDeps {
  db: Db;
  store: PeopleStore;
  ownedWorkspaces: OwnedWorkspaces;
  authentication: Authentication;
  audit: Audit;
  clock: Clock;
  refusals: Refusals;
  loginLimit: RateLimit;
  /** Called after every change of users or tokens, so that open streams and turns recheck their rights. */
  rightsChanged: () => void;
  /** Called inside the write that revokes credentials, except on logout. */
  revoked: (revocation: Revocation) => void;
}

export class Users {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  /** Creates an admin without a password on first start. Returns the token, or undefined when an admin already exists. */
  seedAdmin(seed: string | undefined): { token: string; given: boolean } | undefined {
    const { db, store, audit, clock } = this.#deps;
    return db.writeNow(() => {
      if (store.firstAdmin.get()) return undefined;
      const token = seed ?? newToken();
      const { id } = store.insertUser.get({
        name: "admin",
        name_key: "admin",
        role: "admin",
        created_at: clock.now(),
      })!;
      this.#keepToken(id, "token", token);
      audit.record(null, {
        action: "user.create",
        target: `user:${id}`,
        detail: { name: "admin", role: "admin" },
      });
      return { token, given: seed !== undefined };
    });
  }

  hasAdmin(): boolean {
    return this.#deps.store.firstAdmin.get() !== null;
  }

  pruneIdleSessions(): void {
    const { db, store, clock } = this.#deps;
    db.writeNow(() => store.deleteIdleSessions.run(clock.now() - SESSION_IDLE_DAYS * DAY_MS));
  }

  /**
   * Answers an unknown user, a wrong password and a user without a password alike, after the same work. Records each attempt. Raises
   * `unauthenticated`, `rate_limited`.
   */
  async login(name: string, password: string, from: Stranger): Promise<{ user: User; token: string }> {
    const found = this.#deps.store.userByKey.get(nameKey(name));
    try {
      return await this.#loggedIn(found, password, from);
    } catch (error) {
      // Never record an unknown name: some people type their password there.
      const target = found ? `user:${found.id}` : "user:unknown";
      if (error instanceof AppError)
        this.#deps.refusals.note({ action: "login.failed", code: error.code, target, by: from });
      throw error;
    }
  }

  async #loggedIn(
    found: UserRow | null,
    password: string,
    from: Stranger,
  ): Promise<{ user: User; token: string }> {
    const { db, store, loginLimit, audit } = this.#deps;
    loginLimit.take(countedTogether(from.address));
    const verified = await verifyPassword(password, found?.password_hash ?? null);
    if (!verified || !found) throw new AppError("unauthenticated", BAD_LOGIN);
    return db.write(() => {
      const user = store.userById.get(found.id);
      if (user?.password_hash !== found.password_hash) throw new AppError("unauthenticated", BAD_LOGIN);
      const token = newToken();
      const tokenId = this.#keepToken(user.id, "session", token);
      const { id: userId, name, role } = user;
      const { requestId, address } = from;
      const caller: Caller = {
        userId,
        name,
        role,
        auth: "session",
        tokenId,
        requestId,
        address: () => address,
      };
      audit.record(caller, { action: "login.success", target: `user:${userId}` });
      return { user: toUser(store.userById.get(user.id)!), token };
    });
  }

  /** Revokes the presented token. Does nothing with the loopback privilege. */
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

  /** Admin. Only this response contains the token. Raises `invalid`, `conflict`. */
  create(caller: Caller, input: { name: string; role?: Role }): Promise<{ user: User; token: string }> {
    const { store, audit, clock } = this.#deps;
    const name = parseName("name", input.name);
    return this.#change(() => {
      requireAdmin(caller);
      this.#requireFreeName(name.key, name.text);
      const role = input.role ?? "member";
      const user = { name: name.text, name_key: name.key, role, created_at: clock.now() };
      const { id } = store.insertUser.get(user)!;
      const token = newToken();
      this.#keepToken(id, "token", token);
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
        audit.record(caller, {
          action: "user.role",
          target: `user:${id}`,
          detail: { from: user.role, to: input.role },
        });
        store.setRole.run(input.role, id);
      }
      return toUser(store.userById.get(id)!);
    });
  }

  /** Admin. Raises `conflict` while the user owns workspaces, unless `transferTo` takes them over. */
  remove(caller: Caller, id: number, transferTo: number | undefined): Promise<void> {
    const { store, audit, revoked } = this.#deps;
    return this.#change(() => {
      requireAdmin(caller);
      const user = this.#existing(id);
      if (user.role === "admin") this.#requireAnotherAdmin();
      this.#handOverWorkspaces(id, transferTo);
      const detail = { name: user.name, ...(transferTo === undefined ? {} : { transfer_to: transferTo }) };
      audit.record(caller, { action: "user.delete", target: `user:${id}`, detail });
      store.deleteUser.run(id);
      revoked({ userId: id, kept: "none", reason: `${user.name} was deleted` });
    });
  }

  /**
   * Admins set anyone's password. Non-admins set their own and must give the current one, which is checked again in the write. Revokes the
   * user's other tokens. Raises `invalid`, `forbidden`, `not_found`.
   */
  async setPassword(
    caller: Caller,
    id: number,
    input: { password: string; current_password?: string },
  ): Promise<void> {
    const { store, audit, revoked } = this.#deps;
    checkPasswordShape(input.password);
    const verified = caller.role === "admin" ? undefined : await this.#ownPassword(caller, id, input);
    const hash = await hashPassword(input.password);
    await this.#change(() => {
      if (verified === undefined) requireAdmin(caller);
      else requireSignedIn(caller);
      const user = this.#existing(id);
      if (verified !== undefined && user.password_hash !== verified)
        throw new AppError("forbidden", NOT_CURRENT);
      const own = caller.userId === user.id;
      const kept = own ? caller.tokenId : null;
      const tokens = kept === null ? user.tokens : user.tokens - 1;
      audit.record(caller, {
        action: "user.password",
        target: `user:${id}`,
        detail: { tokens_revoked: tokens },
      });
      store.setPassword.run(hash, user.id);
      if (kept === null) store.deleteTokensOf.run(user.id);
      else store.deleteOtherTokensOf.run(user.id, kept);
      revoked({
        userId: id,
        kept: own ? { tokenId: kept } : "none",
        reason: `the password of ${user.name} was ${own ? "changed" : "reset"}`,
      });
    });
  }

  /** Admin. Creates another token for a user, for example after they lost the first. Shown once. */
  createToken(caller: Caller, id: number): Promise<{ user: User; token: string }> {
    const { store, audit } = this.#deps;
    return this.#change(() => {
      requireAdmin(caller);
      const user = this.#existing(id);
      const token = newToken();
      this.#keepToken(user.id, "token", token);
      audit.record(caller, { action: "token.create", target: `user:${id}` });
      return { user: toUser(store.userById.get(id)!), token };
    });
  }

  /** Returns the id under which the hash of the token is stored. */
  #keepToken(userId: number, kind: "session" | "token", token: string): number {
    const { store, clock } = this.#deps;
    const row = { user_id: userId, hash: tokenHash(token), kind, created_at: clock.now() };
    return store.insertToken.get(row)!.id;
  }

  /** Admin. Revokes every token and session of a user. */
  revokeTokens(caller: Caller, id: number): Promise<{ revoked: number }> {
    const { store, audit, revoked } = this.#deps;
    return this.#change(() => {
      requireAdmin(caller);
      const { name, tokens } = this.#existing(id);
      audit.record(caller, { action: "token.revoke", target: `user:${id}`, detail: { revoked: tokens } });
      store.deleteTokensOf.run(id);
      revoked({ userId: id, kept: "none", reason: `the tokens of ${name} were revoked` });
      return { revoked: tokens };
    });
  }

  /** Runs a write that changes credentials, and invalidates what authentication has cached, whether it commits or fails. */
  async #change<T>(run: () => T): Promise<T> {
    const { db, authentication, rightsChanged } = this.#deps;
    try {
      return await db.write(() => {
        authentication.changing();
        db.afterCommit(() => {
          authentication.changed();
          rightsChanged();
        });
        return run();
      });
    } catch (error) {
      authentication.changed();
      throw error;
    }
  }

  #existing(id: number): UserRow {
    const user = this.#deps.store.userById.get(id);
    if (!user) throw notFound("user", id);
    return user;
  }

  #requireFreeName(key: string, text: string, exceptId?: number): void {
    const other = this.#deps.store.userByKey.get(key);
    if (other && other.id !== exceptId)
      throw fieldError("conflict", "name", `a user named "${text}" already exists`);
  }

  #requireAnotherAdmin(): void {
    if (this.#deps.store.adminCount.get()!.count > 1) return;
    throw new AppError("conflict", "this is the last admin; make another user an admin first");
  }

  /** Verifies the caller's current password, and returns its stored hash. */
  async #ownPassword(
    caller: Caller,
    id: number,
    { current_password: current }: { current_password?: string },
  ): Promise<string> {
    if (caller.userId !== id)
      throw new AppError("forbidden", "only an admin may set someone else's password");
    const user = this.#existing(id);
    if (user.password_hash === null)
      throw new AppError("forbidden", "you have no password yet; ask an admin to set the first one");
    if (current === undefined) throw fieldError("invalid", "current_password", "missing");
    this.#deps.loginLimit.take(`user:${id}`);
    if (!(await verifyPassword(current, user.password_hash))) {
      throw new AppError("forbidden", NOT_CURRENT);
    }
    return user.password_hash;
  }

  #handOverWorkspaces(id: number, transferTo: number | undefined): void {
    const { ownedWorkspaces } = this.#deps;
    ownedWorkspaces.releaseUnfinished(id);
    const owned = ownedWorkspaces.countOf(id);
    if (transferTo === undefined) {
      if (owned === 0) return;
      throw new AppError(
        "conflict",
        `the user owns ${plural(owned, "workspace")}; delete ${nounFor(owned, "it", "them")} or name a new owner with ?transfer_to=<user id>`,
        { workspaces: owned },
      );
    }
    if (transferTo === id) throw badParameter("transfer_to", "must be another user");
    this.#existing(transferTo);
    ownedWorkspaces.transfer(id, transferTo);
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
