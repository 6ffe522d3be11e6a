// The SQL of events, and of the last published change of each space.

import type { Db } from "../../kit/storage/db.ts";
import type { EventType } from "./schema.ts";

export interface EventRow {
  seq: number;
  id: string;
  type: EventType;
  created: number;
  space: string | null;
  path: string | null;
  version: number | null;
  actor: string;
  data: string;
}

export interface EventCount {
  type: EventType;
  space: string | null;
  count: number;
}

export type EventStore = ReturnType<typeof eventStore>;

export function eventStore(db: Db) {
  return {
    last: db.query<{ seq: number }, []>("SELECT coalesce(max(seq), 0) AS seq FROM events"),
    insert: db.query<never, EventRow>(
      `INSERT INTO events (seq, id, type, created, space, path, version, actor, data)
       VALUES ($seq, $id, $type, $created, $space, $path, $version, $actor, $data)`,
    ),
    after: db.query<EventRow, [number, number]>(
      "SELECT seq, id, type, created, space, path, version, actor, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
    ),
    // Counts rows, not sequence numbers, because numbers have gaps.
    newestBeyond: db.query<{ seq: number }, [number]>(
      "SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?",
    ),
    forget: db.query<never, [number]>("DELETE FROM events WHERE seq <= ?"),
    counts: db.query<EventCount, [number, number]>(
      "SELECT type, space, count(*) AS count FROM events WHERE seq > ? AND seq <= ? GROUP BY type, space",
    ),
    source: db.query<{ epoch: string; seq: number }, [string]>(
      "SELECT epoch, seq FROM event_sources WHERE space = ?",
    ),
    /** Of the events that are still to come, the next is the first of a space that has no row. */
    setSource: db.query<never, [string, string, number]>(
      `INSERT INTO event_sources (space, epoch, seq, first)
       VALUES (?1, ?2, ?3, (SELECT coalesce(max(seq), 0) + 1 FROM events))
       ON CONFLICT (space) DO UPDATE SET epoch = ?2, seq = ?3`,
    ),
    starts: db.query<{ space: string; first: number }, []>("SELECT space, first FROM event_sources"),
    start: db.query<{ first: number }, [string]>("SELECT first FROM event_sources WHERE space = ?"),
    dropSource: db.query<never, [string]>("DELETE FROM event_sources WHERE space = ?"),
  };
}
