// SQL of the installation's name, generated once with the database.

import type { Db } from "../../kit/storage/db.ts";

/** Returns 16 hexadecimal characters, stable across restarts and unique among the installations on this machine. */
export function installationName(db: Db): string {
  return db.query<{ name: string }, []>("SELECT name FROM installation WHERE id = 1").get()!.name;
}
