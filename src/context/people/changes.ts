// Changes of the server's database on behalf of a caller. Rules modules hold this instead of the database, so that no write skips the check:
// every write first verifies, inside its transaction, that the credential is still valid and the rights still suffice. The audit record and the
// event of a change are stored in the same transaction, so that a crash cannot separate them from it.

import type { Db } from "../../kit/storage/db.ts";
import type { Audit, Deed } from "../audit/audit.ts";
import type { Announced, Events } from "../events/events.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";

interface News {
  /** Null: the server itself. */
  readonly actor: Caller | null;
  readonly deed: Deed;
  readonly failure?: unknown;
  readonly event?: Announced | undefined;
}

/** Stores a record, and an event if there is one, with the change that is being written. */
type Tell = (news: News) => void;

/** Runs `run` in a transaction. Raises `unauthenticated` or `forbidden` before `run` if the check fails. */
export type Write<T> = (run: (tell: Tell) => T) => Promise<T>;

interface Told<T> {
  /** Adds details to the record. Undefined: the write was no success, and `act` raises why. */
  readonly about?: (done: T) => Partial<Deed> | undefined;
  readonly event?: ((done: T) => Announced) | undefined;
  /** As in `WriteOptions`. */
  readonly weight?: number;
}

interface ChangesDeps {
  readonly db: Db;
  readonly audit: Audit;
  readonly events: Events;
  /** Called on each commit, in the same step, to invalidate everything cached about users. */
  readonly onCommitted: () => void;
}

export class Changes {
  readonly #deps: ChangesDeps;

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  /** For admins. Audits the outcome, including refusals. */
  byAdmin<T, R = T>(
    caller: Caller,
    deed: Deed,
    act: (write: Write<T>) => Promise<R>,
    told: Told<T> = {},
  ): Promise<R> {
    return this.#watched(caller, deed, { ask: () => requireAdmin(caller), act }, told);
  }

  /** For any caller with a valid credential, about themselves. */
  ofOwn<T, R = T>(
    caller: Caller,
    deed: Deed,
    act: (write: Write<T>) => Promise<R>,
    told: Told<T> = {},
  ): Promise<R> {
    return this.#watched(caller, deed, { ask: () => void caller.rights, act }, told);
  }

  /** For the server's own bookkeeping, without a signed-in caller. `run` tells what there is to record. */
  async byServer<T>(run: (tell: Tell) => T): Promise<T> {
    const recorded: Promise<void>[] = [];
    const done = await this.#deps.db.write(() => run(this.#teller(recorded)));
    await Promise.all(recorded);
    return done;
  }

  #watched<T, R>(
    caller: Caller,
    deed: Deed,
    { ask, act }: { ask: () => void; act: (write: Write<T>) => Promise<R> },
    { about = () => ({}), event, weight }: Told<T>,
  ): Promise<R> {
    const { db, audit, onCommitted } = this.#deps;
    const recorded: Promise<void>[] = [];
    let isTold = false;
    const tell = this.#teller(recorded);
    const write: Write<T> = (run) =>
      db.write(
        () => {
          ask();
          db.afterCommit(onCommitted);
          const done = run(tell);
          const more = about(done);
          if (!more) return done;
          tell({ actor: caller, deed: { ...deed, ...more }, event: event?.(done) });
          isTold = true;
          return done;
        },
        { weight },
      );
    const asked = async () => {
      // First, so that missing rights are reported before any other problem.
      ask();
      const done = await act(write);
      await Promise.all(recorded);
      return done;
    };
    return audit.watched(caller, deed, asked, () => (isTold ? undefined : {}));
  }

  /** `recorded` receives what to wait for before the caller hears of the change. */
  #teller(recorded: Promise<void>[]): Tell {
    const { audit, events } = this.#deps;
    return ({ actor, deed, failure, event }) => {
      recorded.push(audit.recordWith(actor, deed, failure));
      if (event) events.announceWith(event);
    };
  }
}
