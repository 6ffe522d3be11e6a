// Goal: a service finds the containers of its earlier starts, and never those of a service on a copy of its data directory.

import { cpSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { installationName } from "../../../src/service/sandbox/store.ts";
import { temporaryFolder } from "../../kit/folder.ts";

test("the name of an installation stays when its directory moves, and a copy of the directory has another", async () => {
  await using folder = await temporaryFolder();
  const nameIn = (directory: string) => {
    const db = openDatabase(join(folder.path, directory, "service.db"));
    migrate(db, migrations, 0);
    const name = installationName(db);
    db.close();
    return name;
  };
  await folder.write("one/notes.txt", "");
  const name = nameIn("one");
  expect(name).toMatch(/^[0-9a-f]{16}$/);
  expect(nameIn("one")).toBe(name);
  cpSync(join(folder.path, "one"), join(folder.path, "copy"), { recursive: true });
  expect(nameIn("copy")).not.toBe(name);
  renameSync(join(folder.path, "one"), join(folder.path, "moved"));
  expect(nameIn("moved")).toBe(name);
});
