// Converts rows of users and tokens to the records of the API, and computes the expiry of tokens.

import { DAY_MS, rfc3339, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import { newToken, tokenHash } from "../../kit/crypto.ts";
import { notFound } from "../../kit/error.ts";
import { nameKey } from "../../kit/text/names.ts";
import type { Token, User } from "./schema.ts";
import { spacesOf } from "./space-names.ts";
import type { PeopleStore, TokenRow, UserRow } from "./store.ts";

interface Issued {
  /** Plain text: shown once, never stored. */
  readonly token: string;
  readonly row: TokenRow;
}

export class PeopleRecords {
  readonly #store: PeopleStore;
  readonly #clock: Clock;
  readonly #tokenTtlDays: number;

  /** `tokenTtlDays` 0: tokens do not expire. */
  constructor(store: PeopleStore, clock: Clock, tokenTtlDays: number) {
    this.#store = store;
    this.#clock = clock;
    this.#tokenTtlDays = tokenTtlDays;
  }

  /** Raises `not_found`. */
  row(name: string): UserRow {
    const row = this.#store.userByKey.get(nameKey(name));
    if (!row) throw notFound("user", name);
    return row;
  }

  /** Runs inside a write. `expiresAt` in ms; null: according to `auth.token_ttl`. */
  issue(user: UserRow, kind: TokenRow["kind"], label: string, expiresAt: number | null): Issued {
    const token = newToken();
    const now = this.#clock.now();
    return {
      token,
      row: this.#store.insertToken.get({
        user_id: user.id,
        hash: tokenHash(token),
        kind,
        label,
        created_at: now,
        expires_at: expiresAt,
      })!,
    };
  }

  /** In ms; null: never. */
  expiryOf({ created_at, expires_at }: TokenRow): number | null {
    if (this.#tokenTtlDays === 0) return expires_at;
    return Math.min(created_at + this.#tokenTtlDays * DAY_MS, expires_at ?? Infinity);
  }

  isValid(token: TokenRow, user: UserRow): boolean {
    return user.disabled === 0 && this.#clock.now() < (this.expiryOf(token) ?? Infinity);
  }

  validTokens(user: UserRow): TokenRow[] {
    const now = this.#clock.now();
    return this.#store.tokensOf.all(user.id).filter((token) => now < (this.expiryOf(token) ?? Infinity));
  }

  toToken(row: TokenRow): Token {
    return {
      id: row.id,
      kind: row.kind,
      label: row.label,
      created_at: rfc3339(row.created_at),
      last_used_at: rfc3339OrNull(row.last_used_at),
      expires_at: rfc3339OrNull(this.expiryOf(row)),
    };
  }

  toUser(row: UserRow): User {
    const locked = row.locked_until !== null && row.locked_until > this.#clock.now();
    return {
      name: row.name,
      role: row.role,
      spaces: spacesOf(row.spaces),
      has_password: row.password_hash !== null,
      disabled: row.disabled !== 0,
      locked_until: rfc3339OrNull(locked ? row.locked_until : null),
      tokens: this.validTokens(row).length,
      created_at: rfc3339(row.created_at),
    };
  }
}
