// Publishes events: stores them, then sends them to followers who may see them. The event of a change of this database is stored with the change.
// Others are stored in batches; a file event is also in the log of its space, so the next start publishes what a crash lost between the two.

import { turnOfOthers, rfc3339, Stretch, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { Replays, sentOf, type PageSent } from "../../kit/http/replay.ts";
import { breakOff, frame, type Frame, type Viewer } from "../../kit/http/sse.ts";
import { UNASKED, ViewerRights, type Watching } from "../../kit/http/viewer-rights.ts";
import type { Log } from "../../kit/log.ts";
import { randomHex } from "../../kit/random.ts";
import type { Head, LogEntry } from "../versioned-store/engine.ts";
import { headText } from "../versioned-store/head.ts";
import { EVENTS_KEPT, type EventEnvelope, type EventType } from "./schema.ts";
import { eventStore, type EventCount, type EventStore, type EventRow } from "./store.ts";

/** Events within this time are stored together. */
const GATHER_MS = 10;
const PAGE_ROWS = 500;
const ID_BITS = 96;
const FORGET_EVERY = 10_000;
/** The rows of one commit: a few milliseconds. */
const ROWS_PER_COMMIT = 250;
/** A batch of more rows is synced to disk; smaller ones may be lost in a power cut. */
const RELAXED_ROWS_MAX = 1_000;
/** The most unsent events. Beyond that, followers are disconnected; they reconnect and read from the store. */
const UNSENT_MAX = 20_000;
/** More numbers than relaxed commits can have assigned since the last sync, which the audit's anchor forces every 100 ms. */
const NUMBERS_LEFT_OUT = 10_000;

export interface Announced {
  readonly type: EventType | (string & {});
  readonly actor: string;
  readonly space?: string;
  readonly path?: string;
  readonly version?: number | null;
  readonly data?: EventEnvelope["data"];
  readonly time?: number;
  /** The head of the space, for an event that the log of the space also contains. Sent in `data.head`. */
  readonly head?: Head;
}

/** Called with each event once it is stored. Must not throw. */
type Listener = (event: EventEnvelope) => void;

interface Follower extends Watching {
  /** The last event offered to it. */
  cursor: number;
  /** Called for every event, and with undefined whenever rights may have changed; false for undefined ends the stream. */
  readonly sees: (event: EventEnvelope | undefined) => boolean;
}

interface EventsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when this machine may speak of all changes so far: other nodes have them. Undefined: at once. */
  readonly settled?: (() => Promise<void> | undefined) | undefined;
}

export class Events {
  readonly #deps: EventsDeps;
  readonly #store: EventStore;
  readonly #followers = new Set<Follower>();
  readonly #listeners = new Set<Listener>();
  readonly #beforeForgetting = new Set<(upTo: number) => void>();
  /** The number of the first event of each space. */
  readonly #starts = new Map<string, number>();
  #waiting: Announced[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seq: number;
  /** The last event that may leave this machine. */
  #told: number;
  #storing: Promise<void> = Promise.resolve();
  #sending: Promise<void> = Promise.resolve();
  #unsent = 0;
  readonly #rights: ViewerRights;
  readonly #replays: Replays;

  constructor(deps: EventsDeps) {
    this.#deps = deps;
    this.#rights = new ViewerRights(() => this.#everyFollower(), deps.log);
    this.#replays = new Replays(this.#rights, deps.log);
    this.#store = eventStore(deps.db);
    this.#seq = this.#store.last.get()!.seq;
    this.#told = deps.settled ? this.#seq : Infinity;
    for (const { space, first } of this.#store.starts.all()) this.#starts.set(space, first);
  }

  get followers(): number {
    return this.#followers.size;
  }

  /** For an event that a crash may lose, or that the log of its space also contains. */
  announce(event: Announced): void {
    this.#waiting.push({ time: this.#deps.clock.now(), ...event });
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Called inside the write of a change: stores its event with it, and sends it after the commit. */
  announceWith(event: Announced): void {
    const { db, clock } = this.#deps;
    this.#storeIn([{ time: clock.now(), ...event }]);
    db.afterCommit(() => {
      this.#unsent += 1;
      void this.#sending.finally(() => (this.#unsent -= 1));
    });
  }

  /** The number of the last stored event. */
  get last(): number {
    return this.#store.last.get()!.seq;
  }

  /** Returns a page of the stored events after this number, in order, as far as this machine may speak of them. */
  after(seq: number): EventEnvelope[] {
    return this.#pageAfter(seq).map(toEnvelope);
  }

  #pageAfter(seq: number): EventRow[] {
    return this.#store.after.all(seq, PAGE_ROWS).filter((row) => row.seq <= this.#told);
  }

  listen(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Calls `told` inside the write that deletes the events up to this number, just before it does. `told` must not throw. */
  beforeForgetting(told: (upTo: number) => void): void {
    this.#beforeForgetting.add(told);
  }

  /** Counts the stored events of each type and space after `after`, up to `upTo`. */
  counts(after: number, upTo: number): readonly Readonly<EventCount>[] {
    return this.#store.counts.all(after, upTo);
  }

  /**
   * Publishes the changes in a space's log whose events a crash lost. Skips numbers in that case, so that a client that received events lost in a
   * power cut gets them again instead of counting as up to date.
   */
  async catchUp(space: string, head: Head, log: (after: number) => Promise<LogEntry[]>): Promise<void> {
    const source = this.#store.source.get(space);
    let after = source?.epoch === head.epoch ? source.seq : head.seq;
    if (after < head.seq) this.#seq += NUMBERS_LEFT_OUT;
    while (after < head.seq) {
      const entries = await log(after);
      if (entries.length === 0) break;
      for (const { op, path, version, author, time, seq } of entries)
        this.announce({
          type: `file.${op}`,
          actor: author,
          space,
          path,
          version,
          time,
          head: { epoch: head.epoch, seq },
        });
      after = entries.at(-1)!.seq;
      await turnOfOthers();
    }
    if (source?.epoch !== head.epoch) await this.#deps.db.write(() => this.#setSource(space, head));
  }

  /** Called before the first change of a new space: the events so far are of a deleted one of that name. */
  begin(space: string, head: Head): Promise<void> {
    return this.#deps.db.write(() => {
      this.#store.dropSource.run(space);
      this.#setSource(space, head);
    });
  }

  /** Hides the events of a deleted space at once, also if the disk then refuses to forget it. */
  forgetSpace(space: string): Promise<void> {
    this.#starts.delete(space);
    return this.#deps.db.write(() => void this.#store.dropSource.run(space));
  }

  /** Called at start: hides the events of spaces that no longer exist, which a crash or the disk kept from being forgotten. */
  hideOthers(exists: (space: string) => boolean): void {
    for (const space of this.#starts.keys()) if (!exists(space)) this.#starts.delete(space);
  }

  /** False for an event of a deleted space, also if there is another of that name now. The event that says so is no secret. */
  isOfPresent({ space, seq, type }: EventEnvelope): boolean {
    return space === null || type === "space.delete" || seq >= (this.#starts.get(space) ?? Infinity);
  }

  /** Call when rights change: ends the streams of callers who lost access before they receive anything more. */
  rightsChanged(): void {
    this.#rights.changed();
  }

  /** `after`: the last event that the viewer has; null: from now on. Returns a function that ends the subscription. */
  follow(viewer: Viewer, after: number | null, sees: Follower["sees"]): () => void {
    const last = this.#store.last.get()!.seq;
    // A larger id predates a restore of this server's data; it counts as up to date.
    const cursor = Math.min(after ?? last, last);
    const follower = { viewer, sees, allowed: () => sees(undefined), asked: UNASKED, cursor };
    const leave = this.#replays.start({
      watching: follower,
      page: () => this.#showPage(follower),
      join: () => this.#followers.add(follower),
    });
    return () => {
      leave();
      this.#followers.delete(follower);
    };
  }

  /** Stores and sends pending events; called at shutdown. */
  async settle(): Promise<void> {
    this.#flush();
    await this.#storing;
    await this.#sending;
  }

  #showPage(follower: Follower): PageSent {
    const rows = this.#pageAfter(follower.cursor);
    for (const event of rows.map(toEnvelope))
      this.#show(follower, event, () => frame(event.type, event, event.seq));
    return sentOf(rows.length, PAGE_ROWS);
  }

  *#everyFollower(): Generator<Watching> {
    yield* this.#replays.watching();
    yield* this.#followers;
  }

  /** Sends each event once: an event read from the store may also still be in publication. */
  #show(follower: Follower, event: EventEnvelope, encoded: () => Frame): void {
    if (event.seq <= follower.cursor) return;
    follower.cursor = event.seq;
    if (this.#rights.admits(follower) && follower.sees(event)) follower.viewer.send(encoded());
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    this.#unsent += batch.length;
    // One batch after another.
    this.#storing = this.#storing
      .then(() => this.#tell(batch))
      .catch((error: unknown) =>
        this.#deps.log.error("cannot store events", {
          events: batch.length,
          error: messageOf(error),
        }),
      )
      .finally(() => (this.#unsent -= batch.length));
  }

  /** Uses several commits for many events, and sends each before the next. */
  async #tell(batch: readonly Announced[]): Promise<void> {
    // Events that the log of a space also contains are published again if lost, so they need not wait for the disk.
    const relaxed = batch.length <= RELAXED_ROWS_MAX && batch.every(({ head }) => head !== undefined);
    for (let from = 0; from < batch.length; from += ROWS_PER_COMMIT) {
      const portion = batch.slice(from, from + ROWS_PER_COMMIT);
      await this.#deps.db.write(() => this.#storeIn(portion), { relaxed });
      await this.#sending;
    }
  }

  #setSource(space: string, { epoch, seq }: Head): void {
    const { db } = this.#deps;
    this.#store.setSource.run(space, epoch, seq);
    const { first } = this.#store.start.get(space)!;
    db.afterCommit(() => this.#starts.set(space, first));
  }

  #toRow({ type, actor, space, path, version, data, time, head }: Announced): EventRow {
    this.#seq += 1;
    return {
      seq: this.#seq,
      id: randomHex(ID_BITS),
      type: type as EventType,
      created: time!,
      space: space ?? null,
      path: path ?? null,
      version: version ?? null,
      actor,
      data: JSON.stringify(head ? { ...data, head: headText(head) } : (data ?? {})),
    };
  }

  /** Runs inside a write, which decides the numbers: events are sent in the order of the commits. */
  #storeIn(batch: readonly Announced[]): void {
    const rows = batch.map((event) => this.#toRow(event));
    for (const row of rows) this.#store.insert.run(row);
    const heads = new Map<string, Head>();
    for (const { space, head } of batch) {
      const known = space === undefined ? undefined : heads.get(space);
      const newer = head && (known?.epoch !== head.epoch || known.seq < head.seq);
      if (space !== undefined && newer) heads.set(space, head);
    }
    for (const [space, { epoch, seq }] of heads) this.#store.setSource.run(space, epoch, seq);
    if (rows.some(({ seq }) => seq % FORGET_EVERY === 0)) this.#forget();
    this.#deps.db.afterCommit(() => this.#send(rows));
  }

  #send(rows: readonly EventRow[]): void {
    this.#sending = this.#sending
      .then(() => this.#publish(rows))
      .catch((error: unknown) => {
        // Of a node that no longer leads: the next leader sends them.
        const level = error instanceof AppError && error.code === "unavailable" ? "info" : "error";
        this.#deps.log[level]("cannot send events", { events: rows.length, error: messageOf(error) });
      });
  }

  #forget(): void {
    const newest = this.#store.newestBeyond.get(EVENTS_KEPT);
    if (!newest) return;
    for (const told of this.#beforeForgetting) told(newest.seq);
    this.#store.forget.run(newest.seq);
  }

  /** Pauses, because there may be many followers. A follower that joins meanwhile begins after the stored events. */
  async #publish(rows: readonly EventRow[]): Promise<void> {
    if (this.#deps.settled) {
      await this.#deps.settled();
      this.#told = Math.max(this.#told, rows.at(-1)!.seq);
    }
    if (this.#followers.size === 0 && this.#listeners.size === 0) return;
    if (this.#unsent > UNSENT_MAX) for (const follower of this.#followers) breakOff(follower.viewer);
    const stretch = new Stretch();
    for (const event of rows.map(toEnvelope)) {
      for (const listener of this.#listeners) listener(event);
      if (this.#followers.size === 0) continue;
      const encoded = frame(event.type, event, event.seq);
      for (const follower of this.#followers) {
        this.#show(follower, event, () => encoded);
        if (stretch.isOver()) await turnOfOthers();
      }
    }
  }
}

function toEnvelope({ created, data, ...row }: EventRow): EventEnvelope {
  return { ...row, created: rfc3339(created), data: JSON.parse(data) as EventEnvelope["data"] };
}
