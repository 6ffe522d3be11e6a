// Replaces a password and ends the sessions that began with the old one.

import type { Caller } from "../identity/caller.ts";
import type { Sessions } from "./sessions.ts";
import type { PeopleStore, UserRow } from "./store.ts";

interface PasswordDeps {
  readonly store: PeopleStore;
  readonly sessions: Pick<Sessions, "endAllOf">;
}

/** Runs inside a write. Sessions may have begun with the old password, so only the session that sets the new one is kept. */
export function replacePassword(
  { store, sessions }: PasswordDeps,
  caller: Caller,
  row: UserRow,
  hash: string,
) {
  store.setPassword.run(hash, row.id);
  for (const token of store.tokensOf.all(row.id))
    if (token.id !== caller.tokenId && token.kind === "session") store.deleteToken.run(token.id, row.id);
  sessions.endAllOf(row, caller.sessionId);
}
