// Logging in and out: the first admin's token, login with a password, logout. Verifying a password takes a while and runs outside the database;
// the decision is made inside the write, against the account as it is then.

import { HOUR_MS, MINUTE_MS, rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { nameKey, parseName } from "../../kit/text/names.ts";
import { checkPasswordShape, hashPassword, verifyPassword } from "../../kit/secrets/passwords.ts";
import type { RateLimit } from "../../kit/http/rate.ts";
import type { Audit } from "../audit/audit.ts";
import { countedTogether, type ClientAddresses } from "../../kit/http/client-address.ts";
import { stranger, type Caller } from "../identity/caller.ts";
import { rightsOf } from "./authentication.ts";
import type { Changes, Write } from "./changes.ts";
import { replacePassword } from "./password-change.ts";
import type { PeopleRecords } from "./records.ts";
import { BOOTSTRAP_HOURS, FAILED_LOGINS_MAX, LOCKED_MINUTES, SESSION_HOURS, type User } from "./schema.ts";
import type { Sessions } from "./sessions.ts";
import type { PeopleStore, UserRow } from "./store.ts";

const BAD_LOGIN = "invalid credentials";
const NAME_CHARACTERS_RECORDED = 100;

interface LoginsDeps {
  readonly db: Db;
  readonly store: PeopleStore;
  readonly records: PeopleRecords;
  readonly changes: Changes;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly clock: Clock;
  /** Undefined: disabled. */
  readonly loginLimit: RateLimit | undefined;
  readonly addresses: ClientAddresses;
}

/** The result of verifying a password before the write. */
interface Compared {
  /** The account at that time; undefined: unknown name. */
  readonly account: UserRow | undefined;
  readonly matches: boolean;
}

type Refused = "refused" | "locked";

export class Logins {
  readonly #deps: LoginsDeps;

  constructor(deps: LoginsDeps) {
    this.#deps = deps;
  }

  /**
   * Creates the first admin of a new server, with a token that is valid for a day. `keep` stores the token durably before the admin exists, so that a
   * crash leaves either no admin, or one whose token is known. Raises `conflict` if there are users already, and what `keep` raises.
   */
  bootstrap(name: string, keep: (token: string) => void): { token: string; user: string } {
    const { db, store, records, clock, audit } = this.#deps;
    const parsed = parseName("admin", name);
    return db.writeNow(() => {
      if (store.users.all().length > 0)
        throw new AppError("conflict", "this server already has its first admin");
      const now = clock.now();
      const user = store.insertUser.get({
        name: parsed.text,
        name_key: parsed.key,
        role: "admin",
        spaces: null,
        created_at: now,
      })!;
      const expiresAt = now + BOOTSTRAP_HOURS * HOUR_MS;
      const { token } = records.issue(user, "bootstrap", "first sign-in", expiresAt);
      keep(token);
      void audit.recordWith(null, { action: "user.add", target: user.name });
      void audit.recordWith(null, { action: "token.create", target: user.name });
      return { token, user: user.name };
    });
  }

  /** Reports whether there are no users, so that a first admin can be created. */
  isUnclaimed(): boolean {
    return this.#deps.store.users.all().length === 0;
  }

  /** Creates the first admin of a new server with a password, and begins a session of the console. Raises `conflict` if there are users already. */
  async claim(from: Exchange, name: string, passwordHash: string): Promise<string> {
    const { store, sessions, changes, clock, addresses } = this.#deps;
    const parsed = parseName("name", name);
    const address = addresses.of(from);
    return changes.byServer((tell) => {
      if (store.users.all().length > 0)
        throw new AppError("conflict", "this server already has its first admin");
      const row = { name: parsed.text, name_key: parsed.key, role: "admin", spaces: null } as const;
      const user = store.insertUser.get({ ...row, created_at: clock.now() })!;
      store.setPassword.run(passwordHash, user.id);
      tell({ actor: null, deed: { action: "user.add", target: user.name } });
      tell(newsAbout("auth.login", this.#stranger(from, user, name, address)));
      return sessions.begin(user);
    });
  }

  /** Issues a token. Gives the same answer after the same work for every failure. Raises `unauthenticated`, `rate_limited`. */
  async login(
    from: Exchange,
    name: string,
    password: string,
  ): Promise<{ user: User; token: string; expires_at: string }> {
    const { records, clock } = this.#deps;
    const { user, given } = await this.#signIn(from, name, password, (row) =>
      records.issue(row, "session", "sign-in", clock.now() + SESSION_HOURS * HOUR_MS),
    );
    return { user: records.toUser(user), token: given.token, expires_at: rfc3339(given.row.expires_at!) };
  }

  /** As `login`, but begins a session of the console and returns the secret of its cookie. */
  async beginSession(from: Exchange, name: string, password: string): Promise<string> {
    const { sessions } = this.#deps;
    return (await this.#signIn(from, name, password, (row) => sessions.begin(row))).given;
  }

  async endSession(caller: Caller): Promise<void> {
    const { sessions, changes } = this.#deps;
    const { sessionId } = caller;
    if (sessionId === undefined) return;
    const deed = { action: "auth.logout", target: caller.name };
    await changes.ofOwn(caller, deed, (write) => write(() => sessions.end(sessionId)));
  }

  /**
   * Replaces the caller's own password. A wrong `current` one counts as a failed login, so that an open session is no way around the lock. Raises
   * `invalid`, or `refused` for the field `current`.
   */
  async changePassword(caller: Caller, current: string, password: string): Promise<void> {
    const { store, changes, sessions } = this.#deps;
    const deed = { action: "user.password", target: caller.name };
    const replaceOwn = async (write: Write<{ user: UserRow; given: UserRow } | Refused>) => {
      checkPasswordShape(password);
      const account = store.userByKey.get(nameKey(caller.name)) ?? undefined;
      const matches = await verifyPassword(current, account?.password_hash ?? null);
      const hash = matches ? await hashPassword(password) : "";
      const replace = (row: UserRow) => {
        replacePassword({ store, sessions }, caller, row, hash);
        return row;
      };
      const outcome = await write((tell) => {
        const decided = this.#decide({ account, matches }, replace);
        if (decided === "locked") tell(newsAbout("auth.locked", caller, badLogin()));
        return decided;
      });
      if (typeof outcome === "string")
        throw fieldError(
          "refused",
          "current",
          `not accepted; ${FAILED_LOGINS_MAX} failures lock the account for ${LOCKED_MINUTES} minutes`,
        );
    };
    await changes.ofOwn(caller, deed, replaceOwn, {
      about: (done) => (typeof done === "string" ? undefined : {}),
    });
  }

  /** `give` runs inside the write that finds the password right. */
  async #signIn<T extends string | object>(
    from: Exchange,
    name: string,
    password: string,
    give: (user: UserRow) => T,
  ): Promise<{ user: UserRow; given: T }> {
    const { store, changes, audit, addresses } = this.#deps;
    const address = addresses.of(from);
    this.#count(from, name, address);
    const account = store.userByKey.get(nameKey(name)) ?? undefined;
    const matches = await verifyPassword(password, account?.password_hash ?? null);
    const caller = this.#stranger(from, account, name, address);
    const outcome = await changes.byServer((tell) => {
      const decided = this.#decide({ account, matches }, give);
      if (decided === "locked") tell(newsAbout("auth.locked", caller, badLogin()));
      else if (decided !== "refused") tell(newsAbout("auth.login", caller));
      return decided;
    });
    if (outcome !== "refused" && outcome !== "locked") return outcome;
    const error = badLogin();
    if (outcome === "refused") audit.record(caller, { action: "auth.login", target: caller.name }, error);
    throw error;
  }

  /** Ends the session or revokes the token of this request. */
  async logout(caller: Caller): Promise<void> {
    const { store, changes } = this.#deps;
    if (caller.tokenId === null) return;
    const tokenId = caller.tokenId;
    const deed = { action: "token.revoke", target: caller.name };
    const event = { type: deed.action, actor: caller.name, data: { user: caller.name } };
    const revoke = () => store.deleteOwnToken.run(tokenId);
    await changes.ofOwn(caller, deed, (write) => write(revoke), { event: () => event });
  }

  /**
   * Runs inside a write. If the stored hash has changed since the password was verified, the login is refused, but not counted as a failure,
   * because the password may be the new one.
   */
  #decide<T>(
    { account, matches }: Compared,
    give: (user: UserRow) => T,
  ): { user: UserRow; given: T } | Refused {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const row = account && store.userById.get(account.id);
    if (!row || row.disabled !== 0) return "refused";
    if (row.locked_until !== null && now < row.locked_until) return "refused";
    if (row.password_hash === null || row.password_hash !== account.password_hash) return "refused";
    if (matches) {
      if (row.failed_logins > 0) store.setFailures.run(0, null, row.id);
      const user = store.userById.get(row.id)!;
      return { user, given: give(user) };
    }
    const failed = (row.locked_until === null ? row.failed_logins : 0) + 1;
    const locks = failed >= FAILED_LOGINS_MAX;
    store.setFailures.run(locks ? 0 : failed, locks ? now + LOCKED_MINUTES * MINUTE_MS : null, row.id);
    return locks ? "locked" : "refused";
  }

  /** Raises `rate_limited`. Audits only the first refusal in a minute. */
  #count(from: Exchange, name: string, address: string): void {
    const { loginLimit, audit } = this.#deps;
    loginLimit?.take(countedTogether(address), (left, firstRefusal) => {
      from.allowance = left;
      if (!firstRefusal) return;
      const caller = this.#stranger(from, undefined, name, address);
      audit.record(caller, { action: "auth.login", target: caller.name }, firstRefusal);
    });
  }

  /** A caller for the audit record of someone who is not signed in. */
  #stranger(from: Exchange, account: UserRow | undefined, name: string, address: string): Caller {
    const rights = account && rightsOf(this.#deps.store, account);
    const shown = account?.name ?? name.slice(0, NAME_CHARACTERS_RECORDED);
    return stranger(shown, { address: () => address, requestId: from.id }, rights);
  }
}

function badLogin(): AppError {
  return new AppError("unauthenticated", BAD_LOGIN);
}

/** The record and the event of an account. */
function newsAbout(action: string, caller: Caller, failure?: AppError) {
  const event = { type: action, actor: caller.name, data: { user: caller.name } };
  return { actor: caller, deed: { action, target: caller.name }, failure, event };
}
