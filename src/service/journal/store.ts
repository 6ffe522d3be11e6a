// SQL of workspace events.

import type { Db } from "../../kit/db.ts";

export interface EventRow {
  id: number;
  type: string;
  content: string;
}

export class EventStore {
  readonly lastId;
  readonly insert;
  readonly ofWorkspace;
  readonly ofTurn;

  constructor(db: Db) {
    this.lastId = db.query<{ id: number }, [number]>(
      "SELECT coalesce(max(id), 0) AS id FROM events WHERE workspace_id = ?",
    );
    // Numbered by what is stored, so that a write that was undone leaves no gap.
    this.insert = db.query<{ id: number }, [number, number | null, string, string]>(
      `INSERT INTO events (workspace_id, id, turn_id, type, content)
       VALUES (?1, (SELECT coalesce(max(id), 0) + 1 FROM events WHERE workspace_id = ?1), ?2, ?3, ?4) RETURNING id`,
    );
    this.ofWorkspace = db.query<EventRow, [number, number, number]>(
      "SELECT id, type, content FROM events WHERE workspace_id = ? AND id > ? ORDER BY id LIMIT ?",
    );
    this.ofTurn = db.query<EventRow, [number, number, number]>(
      "SELECT id, type, content FROM events WHERE turn_id = ? AND id > ? ORDER BY id LIMIT ?",
    );
  }
}
