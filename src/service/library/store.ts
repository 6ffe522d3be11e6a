// SQL of instructions, their versions and bindings.

import type { Db } from "../../kit/db.ts";

export interface InstructionRow {
  id: number;
  name: string;
  name_key: string;
  text: string;
  version: number;
  author_id: number;
  author: string;
  created_at: number;
  updated_at: number;
}

export interface VersionRow {
  version: number;
  name: string;
  text: string;
  hash: string;
  author: string;
  proposed_by: string | null;
  created_at: number;
}

export interface BindingRow {
  id: number;
  workspace_id: number;
  instruction_id: number;
  name: string;
  version: number;
  agent_id: number | null;
  created_at: number;
}

const INSTRUCTION =
  "SELECT id, name, name_key, text, version, author_id, author, created_at, updated_at FROM instructions";
/** A binding to an agent that was removed counts no more. */
const BINDING = `SELECT b.id, b.workspace_id, b.instruction_id, i.name, i.version, b.agent_id, b.created_at
  FROM instruction_bindings b JOIN instructions i ON i.id = b.instruction_id LEFT JOIN agents a ON a.id = b.agent_id
  WHERE a.removed_at IS NULL`;

export class LibraryStore {
  readonly all;
  readonly count;
  readonly byId;
  readonly byKey;
  readonly insert;
  readonly update;
  readonly remove;
  readonly insertVersion;
  readonly versions;
  readonly bindings;
  readonly bindingById;
  readonly bindingsOfInstruction;
  readonly bindingCount;
  readonly bindingBetween;
  readonly insertBinding;
  readonly deleteBinding;
  readonly textsFor;

  constructor(db: Db) {
    this.all = db.query<Omit<InstructionRow, "text">, []>(
      "SELECT id, name, name_key, version, author_id, author, created_at, updated_at FROM instructions ORDER BY name_key",
    );
    this.count = db.query<{ count: number }, []>("SELECT count(*) AS count FROM instructions");
    this.byId = db.query<InstructionRow, [number]>(`${INSTRUCTION} WHERE id = ?`);
    this.byKey = db.query<InstructionRow, [string]>(`${INSTRUCTION} WHERE name_key = ?`);
    this.insert = db.query<{ id: number }, [string, string, string, number, string, number, number]>(
      `INSERT INTO instructions (name, name_key, text, version, author_id, author, created_at, updated_at)
       VALUES (?, ?, ?, 1, ?, ?, ?, ?) RETURNING id`,
    );
    this.update = db.query<never, [string, string, string, number, number, number]>(
      "UPDATE instructions SET name = ?, name_key = ?, text = ?, version = ?, updated_at = ? WHERE id = ?",
    );
    this.remove = db.query<never, [number]>("DELETE FROM instructions WHERE id = ?");
    this.insertVersion = db.query<
      never,
      [number, number, string, string, string, string, string | null, number]
    >(
      `INSERT INTO instruction_versions (instruction_id, version, name, text, hash, author, proposed_by, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.versions = db.query<VersionRow, [number, number, number]>(
      `SELECT version, name, text, hash, author, proposed_by, created_at FROM instruction_versions
       WHERE instruction_id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
    );
    this.bindings = db.query<BindingRow, [number]>(
      `${BINDING} AND b.workspace_id = ? ORDER BY b.agent_id IS NOT NULL, i.name_key, b.id`,
    );
    this.bindingById = db.query<BindingRow, [number]>(`${BINDING} AND b.id = ?`);
    this.bindingsOfInstruction = db.query<BindingRow, [number]>(
      `${BINDING} AND b.instruction_id = ? AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = b.workspace_id) ORDER BY b.id`,
    );
    this.bindingCount = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM instruction_bindings WHERE workspace_id = ?",
    );
    this.bindingBetween = db.query<{ id: number }, [number, number, number | null]>(
      "SELECT id FROM instruction_bindings WHERE workspace_id = ? AND instruction_id = ? AND agent_id IS ?",
    );
    this.insertBinding = db.query<{ id: number }, [number, number, number | null, number]>(
      "INSERT INTO instruction_bindings (workspace_id, instruction_id, agent_id, created_at) VALUES (?, ?, ?, ?) RETURNING id",
    );
    this.deleteBinding = db.query<never, [number]>("DELETE FROM instruction_bindings WHERE id = ?");
    /** In the order of the prompt: what all agents have first, then this agent's own, each by name; bound twice, it comes once. */
    this.textsFor = db.query<{ name: string; version: number; text: string }, [number, number]>(
      `SELECT i.name, i.version, i.text FROM instruction_bindings b JOIN instructions i ON i.id = b.instruction_id
       WHERE b.workspace_id = ? AND (b.agent_id IS NULL OR b.agent_id = ?)
       GROUP BY i.id ORDER BY min(b.agent_id IS NOT NULL), i.name_key`,
    );
  }
}
