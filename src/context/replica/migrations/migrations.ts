// The migrations of a copy's state (`.sync/state.db`), in order. Never edit a released file: every database stores its hash.

import type { Migration } from "../../../kit/storage/migrate.ts";
import init from "./001_replica.sql" with { type: "text" };
import view from "./002_view.sql" with { type: "text" };

export const replicaMigrations: readonly Migration[] = [
  { name: "001_replica", sql: init },
  { name: "002_view", sql: view },
];
