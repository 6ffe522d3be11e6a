// The SQL of the documents whose staleness was announced.

import type { Db } from "../../kit/db.ts";

export type StaleStore = ReturnType<typeof staleStore>;

export function staleStore(db: Db) {
  return {
    announced: db.query<{ path: string; due: string }, [string, string, number]>(
      "SELECT path, due FROM stale_documents WHERE space = ?1 AND path > ?2 ORDER BY path LIMIT ?3",
    ),
    announce: db.query<never, [string, string, string]>(
      "INSERT INTO stale_documents (space, path, due) VALUES (?1, ?2, ?3) ON CONFLICT (space, path) DO UPDATE SET due = ?3",
    ),
    forget: db.query<never, [string, string]>("DELETE FROM stale_documents WHERE space = ? AND path = ?"),
    forgetSpace: db.query<never, [string]>("DELETE FROM stale_documents WHERE space = ?"),
  };
}
