// Looks at a copy of a service's database: the service that runs has the files to itself, and looking changes nothing.

import { Database } from "bun:sqlite";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../folder.ts";

/** `data`: the service's directory. A commit during the copy may be seen or not. */
export async function lookAtCopy<T>(data: string, look: (db: Database) => T): Promise<T> {
  await using folder = await temporaryFolder();
  const copy = join(folder.path, "service.db");
  for (const suffix of ["", "-wal"]) {
    const file = join(data, `service.db${suffix}`);
    if (existsSync(file)) copyFileSync(file, copy + suffix);
  }
  using db = new Database(copy);
  return look(db);
}
