// SQL of what the sandbox keeps: the name of this installation, made once with the database.

import type { Db } from "../../kit/db.ts";

/** Hexadecimal, 16 characters; the same over restarts, different from every other installation on this machine. */
export function installationName(db: Db): string {
  return db.query<{ name: string }, []>("SELECT name FROM installation WHERE id = 1").get()!.name;
}
