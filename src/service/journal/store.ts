// SQL of workspace events.

import type { Db } from "../../kit/storage/db.ts";
import type { SizedRow } from "../../kit/storage/pages.ts";
import type { Superseded } from "./schema.ts";

export interface EventRow {
  id: number;
  type: string;
  content: string;
}

/** Reads no event: the size of each is in the head of its row. */
const SIZE = "SELECT id, octet_length(content) AS bytes FROM events";

/** Stored events never change. A field that later events supersede is computed on reading. */
function replayed({ type, by, field }: Superseded): string {
  const later = by.map((one) => `'${one}'`).join(", ");
  return `SELECT e.id, e.type, CASE WHEN e.type = '${type}' THEN json_set(e.content, '$.data.${field}', json(CASE WHEN EXISTS (
    SELECT 1 FROM events later WHERE later.turn_id = e.turn_id AND later.id > e.id AND later.type IN (${later})
  ) THEN 'false' ELSE 'true' END)) ELSE e.content END AS content FROM events e`;
}

export type EventStore = ReturnType<typeof eventStore>;

export function eventStore(db: Db, superseded: Superseded) {
  const select = replayed(superseded);
  return {
    lastId: db.query<{ id: number }, [number]>(
      "SELECT coalesce(max(id), 0) AS id FROM events WHERE workspace_id = ?",
    ),
    // Numbered from the stored rows, so that a rolled-back write leaves no gap.
    insert: db.query<{ id: number }, Omit<EventRow, "id"> & { workspace_id: number; turn_id: number | null }>(
      `INSERT INTO events (workspace_id, id, turn_id, type, content)
       VALUES ($workspace_id, (SELECT coalesce(max(id), 0) + 1 FROM events WHERE workspace_id = $workspace_id),
         $turn_id, $type, $content) RETURNING id`,
    ),
    act: db.query<never, [number, number]>(
      "INSERT INTO activity (workspace_id, at) VALUES (?1, ?2) ON CONFLICT (workspace_id) DO UPDATE SET at = ?2",
    ),
    sizesOfWorkspace: db.query<SizedRow, [number, number, number]>(
      `${SIZE} WHERE workspace_id = ? AND id > ? ORDER BY id LIMIT ?`,
    ),
    sizesOfTurn: db.query<SizedRow, [number, number, number]>(
      `${SIZE} WHERE turn_id = ? AND id > ? ORDER BY id LIMIT ?`,
    ),
    /** After the second value, up to the third. */
    ofWorkspace: db.query<EventRow, [number, number, number]>(
      `${select} WHERE e.workspace_id = ? AND e.id > ? AND e.id <= ? ORDER BY e.id`,
    ),
    ofTurn: db.query<EventRow, [number, number, number]>(
      `${select} WHERE e.turn_id = ? AND e.id > ? AND e.id <= ? ORDER BY e.id`,
    ),
  };
}
