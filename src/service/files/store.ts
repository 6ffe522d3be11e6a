// SQL about which workspaces there are and were, for tidying their directories.

import type { Db } from "../../kit/db.ts";

export type FilesStore = ReturnType<typeof filesStore>;

export function filesStore(db: Db) {
  return {
    exists: db.query<{ id: number }, [number]>("SELECT id FROM workspaces WHERE id = ?"),
    /** Of all workspaces that this database ever had. */
    highestId: db.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'workspace_rows'"),
  };
}
