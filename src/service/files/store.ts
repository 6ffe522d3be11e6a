// SQL of saves whose record is not written yet. The files themselves are on disk.

import type { Db } from "../../kit/storage/db.ts";

export interface BegunSaveRow {
  workspace_id: number;
  path: string;
  version: string;
  size: number;
  created: number;
  saver: string;
}

const BEGUN_SAVE = "SELECT workspace_id, path, version, size, created, saver FROM begun_saves";

export type BegunSaveStore = ReturnType<typeof begunSaveStore>;

export function begunSaveStore(db: Db) {
  return {
    all: db.query<BegunSaveRow, []>(`${BEGUN_SAVE} ORDER BY workspace_id, path`),
    at: db.query<BegunSaveRow, [number, string]>(`${BEGUN_SAVE} WHERE workspace_id = ? AND path = ?`),
    insert: db.query<never, BegunSaveRow>(
      `INSERT INTO begun_saves (workspace_id, path, version, size, created, saver)
       VALUES ($workspace_id, $path, $version, $size, $created, $saver)`,
    ),
    remove: db.query<never, [number, string]>("DELETE FROM begun_saves WHERE workspace_id = ? AND path = ?"),
  };
}
