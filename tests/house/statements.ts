// The statements of every store, as each prepares them, with the database that they are for.

import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { serverMigrations } from "../../src/context/migrations/migrations.ts";
import { replicaMigrations } from "../../src/context/replica/migrations/migrations.ts";
import { spaceMigrations } from "../../src/context/versioned-store/sqlite/migrations/migrations.ts";
import { openDatabase, type Db } from "../../src/kit/storage/db.ts";
import { migrate } from "../../src/kit/storage/migrate.ts";
import { migrations } from "../../src/service/migrations/migrations.ts";
import { resumedEnds } from "../../src/service/turns/events.ts";
import { codeFiles } from "./source.ts";

interface Statement {
  readonly db: Db;
  readonly sql: string;
  /** The file of its store. */
  readonly path: string;
}

const DATABASES = {
  service: { migrations, stores: /^src\/service\/.*store\.ts$/ },
  "context server": {
    migrations: serverMigrations,
    stores: /^src\/context\/(?!versioned-store|backup|replica).*store\.ts$/,
  },
  replica: { migrations: replicaMigrations, stores: /^src\/context\/replica\/store\.ts$/ },
  space: { migrations: spaceMigrations, stores: /^src\/context\/versioned-store\/.*store\.ts$/ },
};

export type Database = keyof typeof DATABASES;

export async function statementsOf(name: Database): Promise<Statement[]> {
  const { migrations: history, stores } = DATABASES[name];
  const db = openDatabase(":memory:");
  migrate(db, history, 0);
  const statements: Statement[] = [];
  const query = db.query.bind(db);
  for (const { path } of (await codeFiles()).filter((file) => stores.test(file.path))) {
    db.query = ((sql: string) => {
      statements.push({ db, sql, path });
      return query(sql);
    }) as Db["query"];
    const module = (await import(join(ROOT, path))) as Record<string, unknown>;
    for (const [exported, make] of Object.entries(module)) {
      // The second is for the store of events; others take none.
      if (typeof make === "function" && exported.endsWith("Store")) make(db, resumedEnds);
    }
  }
  db.query = query;
  return statements;
}
