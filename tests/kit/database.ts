// A database with the tables of a program, for a test of one module: `await using at = await testDatabase(migrations);`

import { join } from "node:path";
import { openDatabase, type Db } from "../../src/kit/storage/db.ts";
import { migrate, type Migration } from "../../src/kit/storage/migrate.ts";
import { temporaryFolder, type Folder } from "./folder.ts";

interface TestDatabase extends AsyncDisposable {
  readonly db: Db;
  /** Of its own; it is removed with the database. */
  readonly folder: Folder;
}

export async function testDatabase(history: readonly Migration[]): Promise<TestDatabase> {
  const folder = await temporaryFolder();
  const db = openDatabase(join(folder.path, "test.db"));
  migrate(db, history, 0);
  return {
    db,
    folder,
    async [Symbol.asyncDispose]() {
      db.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
