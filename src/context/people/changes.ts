// Changes of the server's database on behalf of a caller. Rules modules hold this instead of the database, so that no write skips the check:
// every write first verifies, inside its transaction, that the credential is still valid and the rights still suffice.

import type { Db } from "../../kit/storage/db.ts";
import type { Audit, Deed } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";

/** Runs `run` in a transaction. Raises `unauthenticated` or `forbidden` before `run` if the check fails. */
export type Write = <T>(run: () => T) => Promise<T>;

interface ChangesDeps {
  readonly db: Db;
  readonly audit: Audit;
  /** Called on each commit, in the same step, to invalidate everything cached about users. */
  readonly onCommitted: () => void;
}

export class Changes {
  readonly #deps: ChangesDeps;

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  /** For admins. Audits the outcome, including refusals; `about` adds details on success. */
  byAdmin<T>(
    caller: Caller,
    deed: Deed,
    act: (write: Write) => Promise<T>,
    about?: (done: T) => Partial<Deed>,
  ): Promise<T> {
    return this.#watched(caller, deed, () => requireAdmin(caller), act, about);
  }

  /** For any caller with a valid credential, about themselves. */
  ofOwn<T>(caller: Caller, deed: Deed, act: (write: Write) => Promise<T>): Promise<T> {
    return this.#watched(caller, deed, () => void caller.rights, act);
  }

  /** For the server's own bookkeeping, without a signed-in caller. The calling code audits it. */
  byServer<T>(run: () => T): Promise<T> {
    return this.#deps.db.write(run);
  }

  #watched<T>(
    caller: Caller,
    deed: Deed,
    ask: () => void,
    act: (write: Write) => Promise<T>,
    about?: (done: T) => Partial<Deed>,
  ): Promise<T> {
    const { db, audit, onCommitted } = this.#deps;
    const write: Write = (run) =>
      db.write(() => {
        ask();
        db.afterCommit(onCommitted);
        return run();
      });
    const asked = async () => {
      // First, so that missing rights are reported before any other problem.
      ask();
      return act(write);
    };
    return audit.watched(caller, deed, asked, about);
  }
}
