// Appends events and streams them to viewers. An event is appended inside the write that it describes and published after the commit, so no
// viewer sees anything that a crash could undo. A viewer first receives the stored events, then the text in progress, then live events.
// Access is checked before each page of stored events, and for every viewer when rights change.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { Replays, sentOf, type PageSent } from "../../kit/http/replay.ts";
import { frame, frameOfJson, type Frame, type Viewer } from "../../kit/http/sse.ts";
import { UNASKED, ViewerRights, type Watching } from "../../kit/http/viewer-rights.ts";
import type { Log } from "../../kit/log.ts";
import { pagesBySize } from "../../kit/storage/pages.ts";
import type { DataOf, EventEnvelope, EventMap, Superseded, TypeIn } from "./schema.ts";
import { eventStore, type EventStore, type EventRow } from "./store.ts";

const REPLAY_ROWS_MAX = 200;

interface Follower extends Watching {
  readonly workspaceId: number;
  /** Null means all events of the workspace. */
  readonly turnId: number | null;
  readonly endsWith: string | undefined;
}

/** An event that is sent but not stored. */
export interface Transient {
  readonly turnId: number | null;
  readonly type: string;
  readonly data: unknown;
}

interface FollowOptions {
  readonly workspaceId: number;
  readonly turnId: number | null;
  /** Id of the last event that the viewer has; null skips stored events. */
  readonly after: number | null;
  /** Called before each page of stored events and whenever rights may have changed; false ends the stream. */
  readonly allowed: () => boolean;
  /** Returns the events in progress, which are sent between the stored and the live ones. */
  readonly inProgress: () => readonly Transient[];
  /** The type of event that ends the stream. */
  readonly endsWith?: string;
  /** Called after the stored events: reports whether no more events can follow. */
  readonly over: () => boolean;
}

interface JournalDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly superseded: Superseded;
}

/** `Events` are those that a feature appends; the journal itself accepts any. */
export class Journal<Events extends EventMap = EventMap> {
  readonly #store: EventStore;
  readonly #db: Db;
  readonly #clock: Clock;
  /** By workspace. Lists are replaced, never mutated, so that a viewer may leave during iteration. */
  readonly #followers = new Map<number, readonly Follower[]>();
  readonly #rightsChecks: (() => void)[] = [];
  readonly #watchers: ((workspaceId: number) => void)[] = [];
  readonly #rights: ViewerRights;
  readonly #replays: Replays;

  constructor({ db, clock, log, superseded }: JournalDeps) {
    this.#db = db;
    this.#clock = clock;
    this.#store = eventStore(db, superseded);
    this.#rights = new ViewerRights(() => this.#everyFollower(), log);
    this.#replays = new Replays(this.#rights, log);
  }

  /** Appends an event inside a write, and returns its id. */
  append<T extends TypeIn<Events>>(
    workspaceId: number,
    turnId: number | null,
    type: T,
    data: DataOf<Events, T>,
  ): number {
    const now = this.#clock.now();
    const envelope: EventEnvelope = { turn_id: turnId, time: rfc3339(now), data };
    const content = JSON.stringify(envelope);
    const { id } = this.#store.insert.get({ workspace_id: workspaceId, turn_id: turnId, type, content })!;
    this.#store.act.run(workspaceId, now);
    this.#db.afterCommit(() => {
      this.#publish(workspaceId, turnId, type, () => frameOfJson(type, content, id));
      for (const told of this.#watchers) told(workspaceId);
    });
    return id;
  }

  /** Sends an event to current viewers without storing it. Free when there are none. */
  transient<T extends TypeIn<Events>>(
    workspaceId: number,
    turnId: number | null,
    type: T,
    data: DataOf<Events, T>,
  ): void {
    this.#publish(workspaceId, turnId, type, () => transientFrame({ turnId, type, data }));
  }

  /** Calls `told` after the commit of each event, and when a workspace ends. `told` must be quick and must not throw. */
  whenActive(told: (workspaceId: number) => void): void {
    this.#watchers.push(told);
  }

  lastId(workspaceId: number): number {
    return this.#store.lastId.get(workspaceId)!.id;
  }

  /** Returns, inside a write, the id of the workspace's next event. */
  nextId(workspaceId: number): number {
    return this.lastId(workspaceId) + 1;
  }

  /** Starts sending to a viewer. Call the returned function when the viewer leaves. */
  follow(viewer: Viewer, options: FollowOptions): () => void {
    const follower: Follower = { ...options, endsWith: options.endsWith, viewer, asked: UNASKED };
    let cursor = options.after;
    const leave = this.#replays.start({
      watching: follower,
      about: { workspace: follower.workspaceId },
      page: () => {
        if (cursor === null) return "nothing";
        const { rows, sent } = this.#page(follower, cursor);
        for (const row of rows) viewer.send(frameOfJson(row.type, row.content, row.id));
        cursor = rows.at(-1)?.id ?? cursor;
        return sent;
      },
      join: () => {
        if (options.over()) return viewer.end();
        this.#add(follower);
        for (const event of options.inProgress()) viewer.send(transientFrame(event));
      },
    });
    return () => {
      leave();
      this.#remove(follower);
    };
  }

  /** Registers a check of connections that do not follow a workspace's events, called whenever rights may have changed. */
  whenRightsChange(check: () => void): void {
    this.#rightsChecks.push(check);
  }

  /** Ends every stream whose viewer has lost access, before sending it anything more. */
  recheck(): void {
    for (const check of this.#rightsChecks) check();
    this.#rights.changed();
  }

  /** Sends a workspace's last event and ends the streams of its viewers. */
  end(workspaceId: number, last: Omit<Transient, "turnId">): void {
    const encoded = transientFrame({ turnId: null, ...last });
    for (const follower of this.#followers.get(workspaceId) ?? []) {
      // The workspace is gone, so access can no longer be checked.
      if (this.#rights.isAsked(follower)) follower.viewer.send(encoded);
      follower.viewer.end();
    }
    for (const told of this.#watchers) told(workspaceId);
  }

  /** Reads only as many events as one page sends: with long messages, 200 are many times that. */
  #page({ workspaceId, turnId }: Follower, after: number): { rows: EventRow[]; sent: PageSent } {
    const { ofTurn, ofWorkspace, sizesOfTurn, sizesOfWorkspace } = this.#store;
    const of = turnId ?? workspaceId;
    const sizes = (turnId === null ? sizesOfWorkspace : sizesOfTurn).all(of, after, REPLAY_ROWS_MAX);
    const [ids = []] = pagesBySize(sizes);
    const rows = (turnId === null ? ofWorkspace : ofTurn).all(of, after, ids.at(-1) ?? after);
    return { rows, sent: ids.length < sizes.length ? "part" : sentOf(sizes.length, REPLAY_ROWS_MAX) };
  }

  #publish(workspaceId: number, turnId: number | null, type: string, encode: () => Frame): void {
    const followers = this.#followers.get(workspaceId);
    if (!followers) return;
    let encoded: Frame | undefined;
    for (const follower of followers) {
      if (follower.turnId !== null && follower.turnId !== turnId) continue;
      if (!this.#rights.admits(follower)) continue;
      follower.viewer.send((encoded ??= encode()));
      if (type === follower.endsWith) follower.viewer.end();
    }
  }

  *#everyFollower(): Generator<Watching> {
    yield* this.#replays.watching();
    for (const followers of this.#followers.values()) yield* followers;
  }

  #add(follower: Follower): void {
    this.#followers.set(follower.workspaceId, [
      ...(this.#followers.get(follower.workspaceId) ?? []),
      follower,
    ]);
  }

  #remove(follower: Follower): void {
    const others = this.#followers.get(follower.workspaceId)?.filter((one) => one !== follower) ?? [];
    if (others.length > 0) this.#followers.set(follower.workspaceId, others);
    else this.#followers.delete(follower.workspaceId);
  }
}

function transientFrame({ turnId, type, data }: Transient): Frame {
  return frame(type, { turn_id: turnId, data } satisfies EventEnvelope);
}
