// SQL of the installation's name, generated once with the database.

import { statSync } from "node:fs";
import { sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";

const NAME_CHARACTERS = 16;

/**
 * Returns 16 hexadecimal characters, stable across restarts and unique among the installations on this machine. The stored name alone is not: a
 * copied data directory has it too, and each of the two would remove the other's running containers. So the file itself is part of the name.
 */
export function installationName(db: Db): string {
  const { name } = db.query<{ name: string }, []>("SELECT name FROM installation WHERE id = 1").get()!;
  const file = statSync(db.path, { bigint: true, throwIfNoEntry: false });
  // A database in memory has no copy.
  return file ? sha256Hex(`${name} ${file.dev} ${file.ino}`).slice(0, NAME_CHARACTERS) : name;
}
