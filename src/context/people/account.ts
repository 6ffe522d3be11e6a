// The actions of users on themselves, whatever their role: see and revoke their own tokens. Nobody can make a token here; a login does that.

import { notFound } from "../../kit/error.ts";
import type { Caller } from "../identity/caller.ts";
import type { Changes } from "./changes.ts";
import type { PeopleRecords } from "./records.ts";
import type { Token } from "./schema.ts";
import type { PeopleStore } from "./store.ts";

interface AccountDeps {
  readonly store: PeopleStore;
  readonly records: PeopleRecords;
  readonly changes: Changes;
}

export class Account {
  readonly #deps: AccountDeps;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  tokens(caller: Caller): Token[] {
    void caller.rights;
    const { records } = this.#deps;
    return records.validTokens(records.row(caller.name)).map((row) => records.toToken(row));
  }

  /** Raises `not_found` for a token of someone else, too. */
  revokeToken(caller: Caller, id: number): Promise<void> {
    const { store, records } = this.#deps;
    return this.#revoked(caller, () => {
      if (store.deleteToken.run(id, records.row(caller.name).id) === 0) throw notFound("token", id);
    });
  }

  /** Returns how many there were. */
  revokeTokens(caller: Caller): Promise<number> {
    const { store, records } = this.#deps;
    return this.#revoked(caller, () => store.deleteTokensOf.run(records.row(caller.name).id));
  }

  #revoked<T>(caller: Caller, revoke: () => T): Promise<T> {
    const deed = { action: "token.revoke", target: caller.name };
    const event = { type: deed.action, actor: caller.name, data: { user: caller.name } };
    return this.#deps.changes.ofOwn<T>(caller, deed, (write) => write(revoke), { event: () => event });
  }
}
