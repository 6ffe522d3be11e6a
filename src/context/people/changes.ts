// Changes of the server's database, made on somebody's behalf. Rules modules hold this in place of the database, so that no change skips the
// question: every write first asks, inside its transaction, whether the credential is still valid and the rights still suffice.

import type { Db } from "../../kit/db.ts";
import type { Audit, Deed } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";

/** Runs `run` in one transaction. Raises what the question raises, `unauthenticated` and `forbidden`, and then `run` never begins. */
export type Write = <T>(run: () => T) => Promise<T>;

export interface ChangesDeps {
  readonly db: Db;
  readonly audit: Audit;
  /** Called with each commit, in the same step: whatever is cached about people is out of date. */
  readonly onCommitted: () => void;
}

export class Changes {
  readonly #deps: ChangesDeps;

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  /** Admins only. Recorded whatever comes of it; `about` adds to the record once it is done. */
  byAdmin<T>(
    caller: Caller,
    deed: Deed,
    act: (write: Write) => Promise<T>,
    about?: (done: T) => Partial<Deed>,
  ): Promise<T> {
    return this.#watched(caller, deed, () => requireAdmin(caller), act, about);
  }

  /** Anybody whose credential is valid, about themselves. */
  ofOwn<T>(caller: Caller, deed: Deed, act: (write: Write) => Promise<T>): Promise<T> {
    return this.#watched(caller, deed, () => void caller.rights, act);
  }

  /** The server's own bookkeeping, on behalf of nobody who is signed in. The caller records it. */
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
      // Before anything is looked up or computed: a refusal for rights comes first.
      ask();
      return act(write);
    };
    return audit.watched(caller, deed, asked, about);
  }
}
