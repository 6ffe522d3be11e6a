// Spaces in one SQLite database each, beside their plain files.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Db } from "../../../kit/db.ts";
import type { EngineKind } from "../engine.ts";
import { openSqliteEngine } from "./engine.ts";
import { spaceStore } from "./store.ts";

export const sqlite: EngineKind = { open: openSqliteEngine, holdsSpace };

/** Only for a space that nobody has open. */
function holdsSpace(directory: string): boolean {
  const path = join(directory, ".cairn", "space.db");
  if (!existsSync(path)) return false;
  try {
    return hasMetadata(openDatabase(path));
  } catch {
    return true;
  }
}

function hasMetadata(db: Db): boolean {
  try {
    const store = spaceStore(db);
    return store.metadataTable.get() !== null && store.metadata.get() !== null;
  } finally {
    db.close();
  }
}
