// The database of a service as an earlier build left it.

import type { Database } from "bun:sqlite";

/** Before migration 022 and those after it, without their records. */
export function withoutLibraryLists(db: Database): void {
  db.run("DROP TABLE begun_saves");
  db.run("ALTER TABLE turns DROP COLUMN imported");
  const indexes = [
    "instructions_list",
    "instructions_facts",
    "instruction_proposals_pending",
    "instruction_proposals_open",
  ];
  for (const name of indexes) db.run(`DROP INDEX ${name}`);
  db.run("ALTER TABLE instruction_proposals DROP COLUMN characters");
  db.run("CREATE INDEX instruction_proposals_pending ON instruction_proposals (id) WHERE status = 'pending'");
}
