// Changes of spaces with their audit records and events. A space has a database of its own, so no transaction holds the change and its record. The
// record is stored before the change, and enters the audit file and the event log after it. After a crash, the space says whether it happened.

import type { Clock } from "../../kit/clock.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { Audit, Deed } from "../audit/audit.ts";
import type { AuditEntry } from "../audit/chain.ts";
import type { Announced, Events } from "../events/events.ts";
import type { Caller } from "../identity/caller.ts";
import type { SpaceEngine } from "../versioned-store/engine.ts";
import { forgetSpace } from "./removal.ts";
import type { DeedRow, NewDeedRow, SpaceDeedStore } from "./store.ts";

interface SpaceDeedsDeps {
  readonly db: Db;
  readonly store: SpaceDeedStore;
  readonly audit: Audit;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
}

export type SpaceDeed = Deed & { readonly space: string };

interface Plan {
  readonly caller: Caller;
  readonly deed: SpaceDeed;
  readonly event?: Announced["data"];
  /** `settings`: the new metadata of the space. `snapshot`: its name. `delete`: empty. */
  readonly kind: NewDeedRow["kind"];
  readonly proof: string;
  /** The space before the change; undefined: none. */
  readonly engine: SpaceEngine | undefined;
  /** Called inside the write that precedes the change. Raises if the caller may not make it. */
  readonly ask: () => void;
}

export class SpaceDeeds {
  readonly #deps: SpaceDeedsDeps;

  constructor(deps: SpaceDeedsDeps) {
    this.#deps = deps;
  }

  /** Runs `act` with its record. If it raises, nothing is recorded. The caller must run one at a time for each space: a second would settle the first. */
  async run<T>(plan: Plan, act: () => Promise<T>): Promise<T> {
    const row = await this.#begin(plan);
    let done: T;
    try {
      done = await act();
    } catch (error) {
      await this.#end([], [row]);
      throw error;
    }
    await this.#end([row], []);
    return done;
  }

  /** Records, before anyone changes the space, the changes that a crash left unrecorded. `engine` undefined: there is no such space. */
  async settle(space: string, engine: SpaceEngine | undefined): Promise<void> {
    const rows = this.#deps.store.all.all().filter((row) => row.space === space);
    if (rows.length === 0) return;
    const happened = new Set<DeedRow>();
    for (const row of rows) if (await isDone(row, engine)) happened.add(row);
    if ([...happened].some(({ kind }) => kind === "delete")) await forgetSpace(this.#deps, space);
    await this.#end(
      [...happened],
      rows.filter((row) => !happened.has(row)),
    );
    if (happened.size > 0)
      this.#deps.log.info("recorded changes of a space that a crash left unrecorded", {
        space,
        changes: happened.size,
      });
  }

  /** The spaces with unrecorded changes. */
  spaces(): string[] {
    return [...new Set(this.#deps.store.all.all().map(({ space }) => space))];
  }

  async #begin({ caller, deed, event, kind, proof, engine, ask }: Plan): Promise<DeedRow> {
    const { db, store, audit, clock } = this.#deps;
    const { space, action } = deed;
    // A change whose record could not be written. After the next change, the space no longer says whether it happened.
    await this.settle(space, engine);
    return db.write(() => {
      ask();
      const announced: Announced = {
        type: action,
        actor: caller.name,
        space,
        time: clock.now(),
        ...(event && { data: event }),
      };
      return store.insert.get({
        space,
        kind,
        proof,
        record: JSON.stringify(audit.entryOf(caller, deed)),
        event: JSON.stringify(announced),
      })!;
    });
  }

  /** The changes are made, so a failure here is not theirs: the rows stay, and the next change or start tries again. */
  async #end(done: readonly DeedRow[], dropped: readonly DeedRow[]): Promise<void> {
    const { db, store, audit, events, log } = this.#deps;
    try {
      const recorded: Promise<void>[] = [];
      await db.write(() => {
        for (const { number, record, event } of done) {
          recorded.push(audit.recordPrepared(JSON.parse(record) as AuditEntry));
          events.announceWith(JSON.parse(event) as Announced);
          store.remove.run(number);
        }
        for (const { number } of dropped) store.remove.run(number);
      });
      await Promise.all(recorded);
    } catch (error) {
      log.error("cannot record a change of a space yet", { error: messageOf(error) });
    }
  }
}

async function isDone({ kind, proof, record }: DeedRow, engine: SpaceEngine | undefined): Promise<boolean> {
  if (!engine || kind === "delete") return !engine && kind === "delete";
  if (kind === "settings") return engine.metadata.get()?.content === proof;
  const { time, actor } = JSON.parse(record) as AuditEntry;
  return (await engine.snapshots()).some(
    ({ name, author, created_at }) => name === proof && author === actor.name && created_at >= time,
  );
}
