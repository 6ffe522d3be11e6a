// SQL about which workspaces there are and were, for tidying their directories.

import type { Db } from "../../kit/db.ts";

export class FilesStore {
  readonly exists;
  readonly highestId;

  constructor(db: Db) {
    this.exists = db.query<{ id: number }, [number]>("SELECT id FROM workspaces WHERE id = ?");
    /** Of all workspaces that this database ever had. */
    this.highestId = db.query<{ seq: number }, []>(
      "SELECT seq FROM sqlite_sequence WHERE name = 'workspace_rows'",
    );
  }
}
