// The rules for managing users and their tokens, for admins. Every change is one write that checks the admin's rights first, is audited with its
// outcome, and applies from the next request, and to open streams.

import { SECOND_MS, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import { nameKey, parseName } from "../../kit/text/names.ts";
import { checkPasswordShape, hashPassword } from "../../kit/secrets/passwords.ts";
import type { Role } from "../access/schema.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Changes, Write } from "./changes.ts";
import { replacePassword } from "./password-change.ts";
import type { PeopleRecords } from "./records.ts";
import type { CreateToken, CreateUser, SeenUser, Token, UpdateUser, User } from "./schema.ts";
import type { Sessions } from "./sessions.ts";
import { requireSpaces, storedSpaces } from "./space-names.ts";
import type { PeopleStore, UserRow } from "./store.ts";

export interface UsersDeps {
  readonly store: PeopleStore;
  readonly records: PeopleRecords;
  readonly changes: Changes;
  readonly sessions: Pick<Sessions, "endAllOf">;
  readonly spaceExists: (name: string) => boolean;
  readonly clock: Clock;
}

/** One page of users. */
interface UsersQuery {
  readonly after?: string | undefined;
  readonly part?: string;
  readonly limit: number;
}

/** The names that audit records, histories and events use for the program itself, manual edits and the operator of the machine. */
const NO_USER = /^(?:server|working tree|.*\(this machine\))$/;

export class Users {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  list(caller: Caller): User[] {
    requireAdmin(caller);
    const { store, records } = this.#deps;
    return store.users.all().map((row) => records.toUser(row));
  }

  /** Returns one page by name, and when each user was last seen. `after`: the last name of the previous page. `part`: of the name, in any case. */
  page(caller: Caller, query: UsersQuery): SeenUser[] {
    requireAdmin(caller);
    const { after = "", part = "", limit } = query;
    const rows = this.#deps.store.usersAfter.all(nameKey(after), nameKey(part), limit);
    return rows.map((row) => this.#seen(row));
  }

  seen(caller: Caller, name: string): SeenUser {
    requireAdmin(caller);
    return this.#seen(this.#deps.records.row(name));
  }

  #seen(row: UserRow): SeenUser {
    const { records, store } = this.#deps;
    const time = store.lastSeen.get({ id: row.id })?.time ?? null;
    return { ...records.toUser(row), last_seen_at: rfc3339OrNull(time) };
  }

  get(caller: Caller, name: string): User {
    requireAdmin(caller);
    const { records } = this.#deps;
    return records.toUser(records.row(name));
  }

  create(caller: Caller, input: CreateUser): Promise<{ user: User; token: string }> {
    const { store, records, clock } = this.#deps;
    return this.#change(caller, { action: "user.add", target: input.name }, (write) => {
      const name = parseName("name", input.name);
      if (NO_USER.test(name.key)) throw fieldError("invalid", "name", `"${name.text}" is a reserved name`);
      return write(() => {
        if (store.userByKey.get(name.key))
          throw fieldError("conflict", "name", `a user "${name.text}" already exists`);
        requireSpaces(input.spaces, this.#deps.spaceExists);
        const spaces = storedSpaces(input.spaces ?? null);
        const row = store.insertUser.get({
          name: name.text,
          name_key: name.key,
          role: input.role,
          spaces,
          created_at: clock.now(),
        })!;
        const { token } = records.issue(row, "token", "first token", null);
        return { user: records.toUser(row), token };
      });
    });
  }

  update(caller: Caller, user: string, input: UpdateUser): Promise<User> {
    const { store, records } = this.#deps;
    return this.#change(caller, { action: "user.role", target: user }, (write) =>
      write(() => {
        const row = records.row(user);
        const role = input.role ?? row.role;
        if (row.role === "admin" && role !== "admin") this.#refuseLastAdmin(row, "demoted");
        requireSpaces(input.spaces, this.#deps.spaceExists, row.spaces);
        const spaces = input.spaces === undefined ? row.spaces : storedSpaces(input.spaces);
        store.setRole.run(role, spaces, row.id);
        return records.toUser(records.row(user));
      }),
    );
  }

  remove(caller: Caller, name: string): Promise<void> {
    const { store, records } = this.#deps;
    return this.#change(caller, { action: "user.delete", target: name }, (write) =>
      write(() => {
        const row = records.row(name);
        this.#refuseLastAdmin(row, "deleted");
        store.deleteUser.run(row.id);
      }),
    );
  }

  /** Also revokes all tokens of the user, and ends their sessions of the console. */
  disable(caller: Caller, name: string): Promise<User> {
    const { store, records, sessions } = this.#deps;
    return this.#change(caller, { action: "user.disable", target: name }, (write) =>
      write(() => {
        const row = records.row(name);
        this.#refuseLastAdmin(row, "disabled");
        store.setDisabled.run(1, row.id);
        store.deleteTokensOf.run(row.id);
        sessions.endAllOf(row);
        return records.toUser(records.row(name));
      }),
    );
  }

  enable(caller: Caller, name: string): Promise<User> {
    const { store, records } = this.#deps;
    return this.#change(caller, { action: "user.enable", target: name }, (write) =>
      write(() => {
        const row = records.row(name);
        store.setDisabled.run(0, row.id);
        store.setFailures.run(0, null, row.id);
        return records.toUser(records.row(name));
      }),
    );
  }

  async setPassword(caller: Caller, name: string, password: string): Promise<void> {
    const { store, records, sessions } = this.#deps;
    await this.#change(caller, { action: "user.password", target: name }, async (write) => {
      checkPasswordShape(password);
      records.row(name);
      const hash = await hashPassword(password);
      await write(() => replacePassword({ store, sessions }, caller, records.row(name), hash));
    });
  }

  tokens(caller: Caller, name: string): Token[] {
    requireAdmin(caller);
    const { records } = this.#deps;
    return records.validTokens(records.row(name)).map((row) => records.toToken(row));
  }

  createToken(
    caller: Caller,
    name: string,
    { label = "", expires_in: seconds }: CreateToken,
  ): Promise<Token & { token: string }> {
    const { records, clock } = this.#deps;
    return this.#change(caller, { action: "token.create", target: name }, (write) =>
      write(() => {
        const row = records.row(name);
        if (row.disabled !== 0)
          throw new AppError("refused", `${row.name} is disabled; enable the account first`);
        const expiresAt = seconds === undefined ? null : clock.now() + seconds * SECOND_MS;
        const issued = records.issue(row, "token", label.trim(), expiresAt);
        return { ...records.toToken(issued.row), token: issued.token };
      }),
    );
  }

  revokeToken(caller: Caller, name: string, id: number): Promise<void> {
    const { store, records } = this.#deps;
    return this.#change(caller, { action: "token.revoke", target: name }, (write) =>
      write(() => {
        if (store.deleteToken.run(id, records.row(name).id) === 0) throw notFound("token", id);
      }),
    );
  }

  /** `keep`: the number of a token that stays. */
  revokeTokens(caller: Caller, name: string, keep?: number): Promise<{ user: string; revoked: number }> {
    const { store, records } = this.#deps;
    return this.#change(caller, { action: "token.revoke", target: name }, (write) =>
      write(() => {
        const row = records.row(name);
        const revoked =
          keep === undefined ? store.deleteTokensOf.run(row.id) : store.deleteOtherTokensOf.run(row.id, keep);
        return { user: row.name, revoked };
      }),
    );
  }

  whoAmI({ name, rights, auth }: Caller): {
    name: string;
    role: Role;
    spaces: string[] | null;
    auth: Caller["auth"];
  } {
    return { name, role: rights.role, spaces: rights.spaces(), auth };
  }

  #change<T>(
    caller: Caller,
    deed: { action: string; target: string },
    act: (write: Write<T>) => Promise<T>,
  ): Promise<T> {
    const event = { type: deed.action, actor: caller.name, data: { user: deed.target } };
    return this.#deps.changes.byAdmin(
      caller,
      deed,
      act,
      EVENTS.has(deed.action) ? { event: () => event } : {},
    );
  }

  #refuseLastAdmin(row: UserRow, what: string): void {
    if (row.role === "admin" && row.disabled === 0 && !this.#deps.store.otherAdmin.get(row.id))
      throw new AppError(
        "refused",
        `${row.name} is the last admin and cannot be ${what}; make another user an admin first`,
      );
  }
}

const EVENTS = new Set([
  "user.add",
  "user.role",
  "user.disable",
  "user.enable",
  "token.create",
  "token.revoke",
]);
