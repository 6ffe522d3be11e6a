// Goal: a node of several does not take over data that its version cannot open.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { requireReadable } from "../../../src/context/migrations/known-history.ts";
import { serverMigrations, serverSchema } from "../../../src/context/migrations/migrations.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { temporaryFolder } from "../../kit/folder.ts";

test("data of this version or an older one, or none, is fine, and data of a newer one is not", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "server.db");
  await requireReadable(path);
  const changed = (migrations: typeof serverMigrations, whole?: string) => {
    const db = openDatabase(path);
    migrate(db, migrations, 0, whole === undefined ? {} : { whole });
    db.close();
  };
  changed(serverMigrations, serverSchema);
  await requireReadable(path);
  changed([...serverMigrations, { name: "999_later", sql: "CREATE TABLE later (id INTEGER PRIMARY KEY)" }]);
  await expect(requireReadable(path)).rejects.toMatchObject({
    code: "unavailable",
    message:
      "the database has migration 999_later, which this version does not know: it was written by a newer version; use that one; this node follows, but cannot lead",
  });
});
