// The SQL of the documents whose staleness was announced.

import type { Db } from "../../kit/storage/db.ts";

export type StaleStore = ReturnType<typeof staleStore>;

interface AnnouncedRow {
  readonly path: string;
  /** RFC 3339. */
  readonly due: string;
  /** Of the space. Null: announced by a build that did not record it. */
  readonly epoch: string | null;
}

export function staleStore(db: Db) {
  return {
    spaceAfter: db.query<{ space: string }, [string]>(
      "SELECT space FROM stale_documents WHERE space > ? ORDER BY space LIMIT 1",
    ),
    announced: db.query<AnnouncedRow, [string, string, number]>(
      "SELECT path, due, epoch FROM stale_documents WHERE space = ?1 AND path > ?2 ORDER BY path LIMIT ?3",
    ),
    announce: db.query<never, AnnouncedRow & { space: string }>(
      "INSERT INTO stale_documents (space, path, due, epoch) VALUES ($space, $path, $due, $epoch) ON CONFLICT (space, path) DO UPDATE SET due = $due, epoch = $epoch",
    ),
    forget: db.query<never, [string, string]>("DELETE FROM stale_documents WHERE space = ? AND path = ?"),
  };
}
