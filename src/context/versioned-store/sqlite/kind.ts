// The engine kind that stores each space in its own SQLite database, next to the plain files.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Db } from "../../../kit/storage/db.ts";
import type { EngineKind } from "../engine.ts";
import { bringTree } from "./copied-tree.ts";
import { openSqliteEngine } from "./engine.ts";
import { spaceStore } from "./store.ts";

export const sqlite: EngineKind = {
  open: openSqliteEngine,
  holdsSpace,
  databaseOf,
  bringTree: (options) => bringTree(databaseOf(options.directory), options),
};

function databaseOf(directory: string): string {
  return join(directory, ".cairn", "space.db");
}

/** Call only for a space that is not open. */
function holdsSpace(directory: string): boolean {
  const path = databaseOf(directory);
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
