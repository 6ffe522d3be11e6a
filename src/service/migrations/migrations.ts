// All migrations in order, compiled into the binary. A released one is never edited: its hash is recorded where it was applied.

import type { Migration } from "../../kit/migrate.ts";
import init from "./001_init.sql" with { type: "text" };

export const migrations: readonly Migration[] = [{ name: "001_init", sql: init }];
