// The SQL of users, tokens and access rules.

import type { Db } from "../../kit/storage/db.ts";
import type { Role } from "../access/schema.ts";

export interface UserRow {
  id: number;
  name: string;
  role: Role;
  spaces: string | null;
  password_hash: string | null;
  disabled: number;
  failed_logins: number;
  locked_until: number | null;
  created_at: number;
}

export interface TokenRow {
  id: number;
  user_id: number;
  kind: "token" | "bootstrap" | "session";
  label: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
}

interface RuleRow {
  effect: "allow" | "deny";
  path: string;
  capabilities: string;
}

type NewUser = Pick<UserRow, "name" | "role" | "spaces" | "created_at"> & { name_key: string };

type NewToken = Omit<TokenRow, "id" | "last_used_at"> & { hash: string };

const USER = "id, name, role, spaces, password_hash, disabled, failed_logins, locked_until, created_at";
const TOKEN = "id, user_id, kind, label, created_at, last_used_at, expires_at";

export type PeopleStore = ReturnType<typeof peopleStore>;

export function peopleStore(db: Db) {
  return {
    users: db.query<UserRow, []>(`SELECT ${USER} FROM users ORDER BY name_key`),
    usersAfter: db.query<UserRow, [after: string, part: string, limit: number]>(
      `SELECT ${USER} FROM users WHERE name_key > ? AND instr(name_key, ?) > 0 ORDER BY name_key LIMIT ?`,
    ),
    lastSeen: db.query<{ time: number | null }, { id: number }>(
      `SELECT max(time) AS time FROM (
         SELECT max(last_used_at) AS time FROM tokens WHERE user_id = $id
         UNION ALL SELECT max(used_at) FROM console_sessions WHERE user_id = $id)`,
    ),
    userByKey: db.query<UserRow, [string]>(`SELECT ${USER} FROM users WHERE name_key = ?`),
    userById: db.query<UserRow, [number]>(`SELECT ${USER} FROM users WHERE id = ?`),
    otherAdmin: db.query<{ id: number }, [number]>(
      "SELECT id FROM users WHERE role = 'admin' AND disabled = 0 AND id <> ? LIMIT 1",
    ),
    insertUser: db.query<UserRow, NewUser>(
      `INSERT INTO users (name, name_key, role, spaces, created_at) VALUES ($name, $name_key, $role, $spaces, $created_at) RETURNING ${USER}`,
    ),
    setRole: db.query<never, [Role, string | null, number]>(
      "UPDATE users SET role = ?, spaces = ? WHERE id = ?",
    ),
    setPassword: db.query<never, [string, number]>(
      "UPDATE users SET password_hash = ?, failed_logins = 0, locked_until = NULL WHERE id = ?",
    ),
    setDisabled: db.query<never, [number, number]>("UPDATE users SET disabled = ? WHERE id = ?"),
    setFailures: db.query<never, [number, number | null, number]>(
      "UPDATE users SET failed_logins = ?, locked_until = ? WHERE id = ?",
    ),
    deleteUser: db.query<never, [number]>("DELETE FROM users WHERE id = ?"),
    tokenByHash: db.query<TokenRow, [string]>(`SELECT ${TOKEN} FROM tokens WHERE hash = ?`),
    tokensOf: db.query<TokenRow, [number]>(`SELECT ${TOKEN} FROM tokens WHERE user_id = ? ORDER BY id`),
    insertToken: db.query<TokenRow, NewToken>(
      `INSERT INTO tokens (user_id, hash, kind, label, created_at, expires_at)
       VALUES ($user_id, $hash, $kind, $label, $created_at, $expires_at) RETURNING ${TOKEN}`,
    ),
    deleteToken: db.query<never, [number, number]>("DELETE FROM tokens WHERE id = ? AND user_id = ?"),
    deleteOwnToken: db.query<never, [number]>("DELETE FROM tokens WHERE id = ?"),
    deleteTokensOf: db.query<never, [number]>("DELETE FROM tokens WHERE user_id = ?"),
    deleteOtherTokensOf: db.query<never, [number, number]>(
      "DELETE FROM tokens WHERE user_id = ? AND id <> ?",
    ),
    deleteBefore: db.query<never, [number]>("DELETE FROM tokens WHERE created_at < ?"),
    deleteExpired: db.query<never, [number]>("DELETE FROM tokens WHERE expires_at < ?"),
    // A use from before the token was issued is that of a revoked one, whose number it has.
    touchToken: db.query<never, [number, number]>(
      "UPDATE tokens SET last_used_at = ?1 WHERE id = ?2 AND created_at <= ?1",
    ),
    rulesOf: db.query<RuleRow, [number]>(
      "SELECT effect, path, capabilities FROM acl WHERE user_id = ? ORDER BY id",
    ),
    ruledAfter: db.query<UserRow, [after: string, limit: number]>(
      `SELECT ${USER} FROM users WHERE name_key > ? AND EXISTS (SELECT 1 FROM acl WHERE user_id = users.id)
       ORDER BY name_key LIMIT ?`,
    ),
    deleteRules: db.query<never, [number]>("DELETE FROM acl WHERE user_id = ?"),
    insertRule: db.query<never, RuleRow & { user_id: number }>(
      "INSERT INTO acl (user_id, effect, path, capabilities) VALUES ($user_id, $effect, $path, $capabilities)",
    ),
  };
}
