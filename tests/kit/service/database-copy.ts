// Looks at a copy of a service's database: the service that runs has the files to itself, and looking changes nothing.

import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { until } from "../eventually.ts";
import { temporaryFolder } from "../folder.ts";

/** More than the time between two times that a file can have. */
const FILE_TICK_MS = 20;

/** `data`: the service's directory. A commit during the copy may be seen or not. */
export async function lookAtCopy<T>(data: string, look: (db: Database) => T): Promise<T> {
  await using folder = await temporaryFolder();
  const copy = join(folder.path, "service.db");
  const original = join(data, "service.db");
  const timeOf = () => statSync(original).mtimeMs;
  // Only a checkpoint writes to the first file. The two that are copied around one do not belong together.
  await until(() => {
    const before = timeOf();
    if (before > Date.now() - FILE_TICK_MS) return false;
    for (const suffix of ["", "-wal"])
      if (existsSync(original + suffix)) copyFileSync(original + suffix, copy + suffix);
    return timeOf() === before;
  });
  using db = new Database(copy);
  return look(db);
}
