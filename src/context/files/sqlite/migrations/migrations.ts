// The migrations of a space's database, in order. A released file is never edited: its hash is in every database.

import type { Migration } from "../../../../kit/migrate.ts";
import init from "./001_space.sql" with { type: "text" };

export const spaceMigrations: readonly Migration[] = [{ name: "001_space", sql: init }];
