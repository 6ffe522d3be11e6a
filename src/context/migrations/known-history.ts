// Tells before a takeover if this version can open the data that another node wrote: a node that leads and then cannot open the data keeps
// the nodes that can from leading.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../kit/error.ts";
import { lookAt } from "../../kit/storage/db-untouched.ts";
import { requireKnownHistory } from "../../kit/storage/migrate.ts";
import { serverMigrations } from "./migrations.ts";

/** Only reads. Raises `unavailable` for a database of a newer version, because this node can still follow. */
export async function requireReadable(database: string): Promise<void> {
  if (!existsSync(database)) return;
  try {
    await lookAt(database, dirname(database), (db) => requireKnownHistory(db, serverMigrations));
  } catch (error) {
    if (!(error instanceof AppError && error.code === "refused")) throw error;
    throw new AppError("unavailable", `${messageOf(error)}; this node follows, but cannot lead`);
  }
}
