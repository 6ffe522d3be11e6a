// SQL of people, tokens and rules.

import type { Db } from "../../kit/db.ts";
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

export interface RuleRow {
  effect: "allow" | "deny";
  path: string;
  capabilities: string;
}

const USER = "id, name, role, spaces, password_hash, disabled, failed_logins, locked_until, created_at";
const TOKEN = "id, user_id, kind, label, created_at, last_used_at, expires_at";

export class PeopleStore {
  readonly users;
  readonly userByKey;
  readonly userById;
  readonly otherAdmin;
  readonly insertUser;
  readonly setRole;
  readonly setPassword;
  readonly setDisabled;
  readonly setFailures;
  readonly deleteUser;
  readonly tokenByHash;
  readonly tokensOf;
  readonly insertToken;
  readonly deleteToken;
  readonly deleteOwnToken;
  readonly deleteTokensOf;
  readonly deleteBefore;
  readonly deleteExpired;
  readonly touchToken;
  readonly rulesOf;
  readonly deleteRules;
  readonly insertRule;

  constructor(db: Db) {
    this.users = db.query<UserRow, []>(`SELECT ${USER} FROM users ORDER BY name_key`);
    this.userByKey = db.query<UserRow, [string]>(`SELECT ${USER} FROM users WHERE name_key = ?`);
    this.userById = db.query<UserRow, [number]>(`SELECT ${USER} FROM users WHERE id = ?`);
    this.otherAdmin = db.query<{ id: number }, [number]>(
      "SELECT id FROM users WHERE role = 'admin' AND disabled = 0 AND id <> ? LIMIT 1",
    );
    this.insertUser = db.query<UserRow, [string, string, Role, string | null, number]>(
      `INSERT INTO users (name, name_key, role, spaces, created_at) VALUES (?, ?, ?, ?, ?) RETURNING ${USER}`,
    );
    this.setRole = db.query<never, [Role, string | null, number]>(
      "UPDATE users SET role = ?, spaces = ? WHERE id = ?",
    );
    this.setPassword = db.query<never, [string, number]>(
      "UPDATE users SET password_hash = ?, failed_logins = 0, locked_until = NULL WHERE id = ?",
    );
    this.setDisabled = db.query<never, [number, number]>("UPDATE users SET disabled = ? WHERE id = ?");
    this.setFailures = db.query<never, [number, number | null, number]>(
      "UPDATE users SET failed_logins = ?, locked_until = ? WHERE id = ?",
    );
    this.deleteUser = db.query<never, [number]>("DELETE FROM users WHERE id = ?");
    this.tokenByHash = db.query<TokenRow, [string]>(`SELECT ${TOKEN} FROM tokens WHERE hash = ?`);
    this.tokensOf = db.query<TokenRow, [number]>(`SELECT ${TOKEN} FROM tokens WHERE user_id = ? ORDER BY id`);
    this.insertToken = db.query<TokenRow, [number, string, TokenRow["kind"], string, number, number | null]>(
      `INSERT INTO tokens (user_id, hash, kind, label, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING ${TOKEN}`,
    );
    this.deleteToken = db.query<never, [number, number]>("DELETE FROM tokens WHERE id = ? AND user_id = ?");
    this.deleteOwnToken = db.query<never, [number]>("DELETE FROM tokens WHERE id = ?");
    this.deleteTokensOf = db.query<never, [number]>("DELETE FROM tokens WHERE user_id = ?");
    this.deleteBefore = db.query<never, [number]>("DELETE FROM tokens WHERE created_at < ?");
    this.deleteExpired = db.query<never, [number]>("DELETE FROM tokens WHERE expires_at < ?");
    this.touchToken = db.query<never, [number, number]>("UPDATE tokens SET last_used_at = ? WHERE id = ?");
    this.rulesOf = db.query<RuleRow, [number]>(
      "SELECT effect, path, capabilities FROM acl WHERE user_id = ? ORDER BY id",
    );
    this.deleteRules = db.query<never, [number]>("DELETE FROM acl WHERE user_id = ?");
    this.insertRule = db.query<never, [number, string, string, string]>(
      "INSERT INTO acl (user_id, effect, path, capabilities) VALUES (?, ?, ?, ?)",
    );
  }
}
