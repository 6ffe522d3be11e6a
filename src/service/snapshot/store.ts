// SQL of kept blueprints: each content once in a workspace, however many turns began with it.

import type { Db } from "../../kit/db.ts";

export class SnapshotStore {
  readonly keep;
  readonly byHash;
  readonly ofTurn;

  constructor(db: Db) {
    this.keep = db.query<never, [number, string, string]>(
      "INSERT INTO blueprints (workspace_id, hash, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    );
    this.byHash = db.query<{ id: number }, [number, string]>(
      "SELECT id FROM blueprints WHERE workspace_id = ? AND hash = ?",
    );
    this.ofTurn = db.query<{ workspace_id: number; content: string | null }, [number]>(
      "SELECT t.workspace_id, b.content FROM turns t LEFT JOIN blueprints b ON b.id = t.blueprint_id WHERE t.id = ?",
    );
  }
}
