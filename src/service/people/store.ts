// SQL of people: users, tokens, teams. Rows in, rows out; no rules.

import type { Db } from "../../kit/storage/db.ts";
import type { Role } from "../identity/schema.ts";

export interface UserRow {
  id: number;
  name: string;
  role: Role;
  password_hash: string | null;
  tokens: number;
  last_used_at: number | null;
  created_at: number;
}

/** Everything that authentication needs of a token, in one lookup. */
export interface TokenRow {
  token_id: number;
  kind: "token" | "session";
  user_id: number;
  name: string;
  role: Role;
  created_at: number;
  last_used_at: number | null;
}

export interface TeamRow {
  id: number;
  name: string;
}

export interface TeamMemberRow {
  team_id: number;
  id: number;
  name: string;
  role: Role;
}

interface NewToken {
  user_id: number;
  hash: string;
  kind: TokenRow["kind"];
  created_at: number;
}

const USER = `SELECT u.id, u.name, u.role, u.password_hash, u.created_at,
  (SELECT count(*) FROM tokens t WHERE t.user_id = u.id) AS tokens,
  (SELECT max(t.last_used_at) FROM tokens t WHERE t.user_id = u.id) AS last_used_at
  FROM users u`;

export type PeopleStore = ReturnType<typeof peopleStore>;

export function peopleStore(db: Db) {
  return { ...users(db), ...tokens(db), ...teams(db) };
}

function users(db: Db) {
  return {
    userById: db.query<UserRow, [number]>(`${USER} WHERE u.id = ?`),
    roleOfUser: db.query<{ role: Role }, [number]>("SELECT role FROM users WHERE id = ?"),
    userByKey: db.query<UserRow, [string]>(`${USER} WHERE u.name_key = ?`),
    users: db.query<UserRow, []>(`${USER} ORDER BY u.name_key`),
    firstAdmin: db.query<{ id: number; name: string }, []>(
      "SELECT id, name FROM users WHERE role = 'admin' ORDER BY id LIMIT 1",
    ),
    adminCount: db.query<{ count: number }, []>("SELECT count(*) AS count FROM users WHERE role = 'admin'"),
    insertUser: db.query<
      { id: number },
      Pick<UserRow, "name" | "role" | "created_at"> & { name_key: string }
    >(
      "INSERT INTO users (name, name_key, role, created_at) VALUES ($name, $name_key, $role, $created_at) RETURNING id",
    ),
    renameUser: db.query<never, [string, string, number]>(
      "UPDATE users SET name = ?, name_key = ? WHERE id = ?",
    ),
    setRole: db.query<never, [Role, number]>("UPDATE users SET role = ? WHERE id = ?"),
    setPassword: db.query<never, [string, number]>("UPDATE users SET password_hash = ? WHERE id = ?"),
    deleteUser: db.query<never, [number]>("DELETE FROM users WHERE id = ?"),
  };
}

function tokens(db: Db) {
  return {
    tokenByHash: db.query<TokenRow, [string]>(
      `SELECT t.id AS token_id, t.kind, t.created_at, t.last_used_at, u.id AS user_id, u.name, u.role
       FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = ?`,
    ),
    roleOfToken: db.query<{ role: Role }, [number]>(
      "SELECT u.role FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.id = ?",
    ),
    insertToken: db.query<{ id: number }, NewToken>(
      "INSERT INTO tokens (user_id, hash, kind, created_at) VALUES ($user_id, $hash, $kind, $created_at) RETURNING id",
    ),
    deleteToken: db.query<never, [number]>("DELETE FROM tokens WHERE id = ?"),
    deleteTokensOf: db.query<never, [number]>("DELETE FROM tokens WHERE user_id = ?"),
    deleteOtherTokensOf: db.query<never, [number, number]>(
      "DELETE FROM tokens WHERE user_id = ? AND id <> ?",
    ),
    touchToken: db.query<never, [number, number]>("UPDATE tokens SET last_used_at = ? WHERE id = ?"),
    deleteIdleSessions: db.query<never, [number]>(
      "DELETE FROM tokens WHERE kind = 'session' AND coalesce(last_used_at, created_at) < ?",
    ),
  };
}

function teams(db: Db) {
  return {
    teamById: db.query<TeamRow, [number]>("SELECT id, name FROM teams WHERE id = ?"),
    teamByKey: db.query<TeamRow, [string]>("SELECT id, name FROM teams WHERE name_key = ?"),
    teams: db.query<TeamRow, []>("SELECT id, name FROM teams ORDER BY name_key"),
    insertTeam: db.query<{ id: number }, [string, string, number]>(
      "INSERT INTO teams (name, name_key, created_at) VALUES (?, ?, ?) RETURNING id",
    ),
    renameTeam: db.query<never, [string, string, number]>(
      "UPDATE teams SET name = ?, name_key = ? WHERE id = ?",
    ),
    deleteTeam: db.query<never, [number]>("DELETE FROM teams WHERE id = ?"),
    members: db.query<TeamMemberRow, []>(
      `SELECT m.team_id, u.id, u.name, u.role FROM team_members m JOIN users u ON u.id = m.user_id ORDER BY u.name_key`,
    ),
    membersOf: db.query<TeamMemberRow, [number]>(
      `SELECT m.team_id, u.id, u.name, u.role FROM team_members m JOIN users u ON u.id = m.user_id
       WHERE m.team_id = ? ORDER BY u.name_key`,
    ),
    teamIdsOf: db.query<{ team_id: number }, [number]>(
      "SELECT team_id FROM team_members WHERE user_id = ? ORDER BY team_id",
    ),
    isMember: db.query<{ yes: number }, [number, number]>(
      "SELECT 1 AS yes FROM team_members WHERE team_id = ? AND user_id = ?",
    ),
    addMember: db.query<never, [number, number]>(
      "INSERT INTO team_members (team_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
    ),
    removeMember: db.query<never, [number, number]>(
      "DELETE FROM team_members WHERE team_id = ? AND user_id = ?",
    ),
  };
}
