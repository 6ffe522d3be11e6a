// SQL of changes of spaces whose record is not written yet. The spaces themselves are in databases of their own.

import type { Db } from "../../kit/storage/db.ts";

export interface NewDeedRow {
  space: string;
  kind: "settings" | "snapshot" | "delete";
  proof: string;
  record: string;
  event: string;
}

export interface DeedRow extends NewDeedRow {
  number: number;
}

export type SpaceDeedStore = ReturnType<typeof spaceDeedStore>;

export function spaceDeedStore(db: Db) {
  const columns = "number, space, kind, proof, record, event";
  return {
    all: db.query<DeedRow, []>(`SELECT ${columns} FROM space_deeds ORDER BY number`),
    insert: db.query<DeedRow, NewDeedRow>(
      `INSERT INTO space_deeds (space, kind, proof, record, event) VALUES ($space, $kind, $proof, $record, $event)
       RETURNING ${columns}`,
    ),
    remove: db.query<never, [number]>("DELETE FROM space_deeds WHERE number = ?"),
  };
}
