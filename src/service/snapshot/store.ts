// SQL of stored blueprints: a workspace has one row per content, shared by the turns that began with it.

import type { Db } from "../../kit/storage/db.ts";

export type SnapshotStore = ReturnType<typeof snapshotStore>;

export function snapshotStore(db: Db) {
  return {
    keep: db.query<never, [number, string, string]>(
      "INSERT INTO blueprints (workspace_id, hash, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    ),
    byHash: db.query<{ id: number }, [number, string]>(
      "SELECT id FROM blueprints WHERE workspace_id = ? AND hash = ?",
    ),
    ofTurn: db.query<{ workspace_id: number; content: string | null }, [number]>(
      "SELECT t.workspace_id, b.content FROM turns t LEFT JOIN blueprints b ON b.id = t.blueprint_id WHERE t.id = ?",
    ),
  };
}
