// The SQL of console sessions.

import type { Db } from "../../kit/storage/db.ts";

export interface SessionRow {
  id: number;
  user_id: number;
  created_at: number;
  used_at: number;
}

type NewSession = Omit<SessionRow, "id"> & { hash: string };

const SESSION = "id, user_id, created_at, used_at";

export type SessionStore = ReturnType<typeof sessionStore>;

export function sessionStore(db: Db) {
  return {
    sessionByHash: db.query<SessionRow, [string]>(`SELECT ${SESSION} FROM console_sessions WHERE hash = ?`),
    sessionsOf: db.query<SessionRow, [number]>(
      `SELECT ${SESSION} FROM console_sessions WHERE user_id = ? ORDER BY used_at`,
    ),
    insertSession: db.query<SessionRow, NewSession>(
      `INSERT INTO console_sessions (user_id, hash, created_at, used_at)
       VALUES ($user_id, $hash, $created_at, $used_at) RETURNING ${SESSION}`,
    ),
    touchSession: db.query<never, [number, number]>("UPDATE console_sessions SET used_at = ? WHERE id = ?"),
    deleteSession: db.query<never, [number]>("DELETE FROM console_sessions WHERE id = ?"),
    deleteSessionsOf: db.query<never, [number]>("DELETE FROM console_sessions WHERE user_id = ?"),
    deleteOtherSessionsOf: db.query<never, [number, number]>(
      "DELETE FROM console_sessions WHERE user_id = ? AND id <> ?",
    ),
    deleteExpiredSessions: db.query<never, [number, number]>(
      "DELETE FROM console_sessions WHERE created_at < ? OR used_at < ?",
    ),
  };
}
