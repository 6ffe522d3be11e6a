// SQL of events, and of how far the log of each space was told.

import type { Db } from "../../kit/db.ts";
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

export class EventStore {
  readonly last;
  readonly insert;
  readonly after;
  readonly newestBeyond;
  readonly forget;
  readonly counts;
  readonly source;
  readonly setSource;
  readonly dropSource;

  constructor(db: Db) {
    this.last = db.query<{ seq: number }, []>("SELECT coalesce(max(seq), 0) AS seq FROM events");
    this.insert = db.query<
      never,
      [number, string, EventType, number, string | null, string | null, number | null, string, string]
    >(
      "INSERT INTO events (seq, id, type, created, space, path, version, actor, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.after = db.query<EventRow, [number, number]>(
      "SELECT seq, id, type, created, space, path, version, actor, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
    );
    // So many events are kept: not so many numbers, since some are left out.
    this.newestBeyond = db.query<{ seq: number }, [number]>(
      "SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?",
    );
    this.forget = db.query<never, [number]>("DELETE FROM events WHERE seq <= ?");
    this.counts = db.query<{ type: EventType; count: number }, [number, number]>(
      "SELECT type, count(*) AS count FROM events WHERE seq > ? AND seq <= ? GROUP BY type",
    );
    this.source = db.query<{ epoch: string; seq: number }, [string]>(
      "SELECT epoch, seq FROM event_sources WHERE space = ?",
    );
    this.setSource = db.query<never, [string, string, number]>(
      "INSERT INTO event_sources (space, epoch, seq) VALUES (?1, ?2, ?3) ON CONFLICT (space) DO UPDATE SET epoch = ?2, seq = ?3",
    );
    this.dropSource = db.query<never, [string]>("DELETE FROM event_sources WHERE space = ?");
  }
}
