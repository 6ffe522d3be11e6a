// SQL of instructions, their versions and bindings.

import type { Db } from "../../kit/storage/db.ts";

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

type NewBinding = Pick<BindingRow, "workspace_id" | "instruction_id" | "agent_id" | "created_at">;

const INSTRUCTION =
  "SELECT id, name, name_key, text, version, author_id, author, created_at, updated_at FROM instructions";
/** Excludes bindings to removed agents. */
const BINDING = `SELECT b.id, b.workspace_id, b.instruction_id, i.name, i.version, b.agent_id, b.created_at
  FROM instruction_bindings b JOIN instructions i INDEXED BY instructions_facts ON i.id = b.instruction_id
  LEFT JOIN agents a ON a.id = b.agent_id WHERE a.removed_at IS NULL`;

export type LibraryStore = ReturnType<typeof libraryStore>;

export function libraryStore(db: Db) {
  return {
    /** By name, after one. Reads an index, never the texts. */
    page: db.query<Omit<InstructionRow, "text">, [string, number]>(
      `SELECT id, name, name_key, version, author_id, author, created_at, updated_at FROM instructions INDEXED BY instructions_list
       WHERE name_key > ? ORDER BY name_key LIMIT ?`,
    ),
    authorOf: db.query<Pick<InstructionRow, "author_id">, [string]>(
      "SELECT author_id FROM instructions INDEXED BY instructions_list WHERE name_key = ?",
    ),
    count: db.query<{ count: number }, []>("SELECT count(*) AS count FROM instructions"),
    byId: db.query<InstructionRow, [number]>(`${INSTRUCTION} WHERE id = ?`),
    byKey: db.query<InstructionRow, [string]>(`${INSTRUCTION} WHERE name_key = ?`),
    insert: db.query<{ id: number }, Omit<InstructionRow, "id" | "version">>(
      `INSERT INTO instructions (name, name_key, text, version, author_id, author, created_at, updated_at)
       VALUES ($name, $name_key, $text, 1, $author_id, $author, $created_at, $updated_at) RETURNING id`,
    ),
    update: db.query<never, Omit<InstructionRow, "author_id" | "author" | "created_at">>(
      "UPDATE instructions SET name = $name, name_key = $name_key, text = $text, version = $version, updated_at = $updated_at WHERE id = $id",
    ),
    remove: db.query<never, [number]>("DELETE FROM instructions WHERE id = ?"),
    insertVersion: db.query<never, VersionRow & { instruction_id: number }>(
      `INSERT INTO instruction_versions (instruction_id, version, name, text, hash, author, proposed_by, created_at)
       VALUES ($instruction_id, $version, $name, $text, $hash, $author, $proposed_by, $created_at)`,
    ),
    /** Newest first. */
    versions: db.query<VersionRow, [number, number, number]>(
      `SELECT version, name, text, hash, author, proposed_by, created_at FROM instruction_versions
       WHERE instruction_id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
    ),
    bindings: db.query<BindingRow, [number]>(
      `${BINDING} AND b.workspace_id = ? ORDER BY b.agent_id IS NOT NULL, i.name_key, b.id`,
    ),
    bindingById: db.query<BindingRow, [number]>(`${BINDING} AND b.id = ?`),
    bindingsOfInstruction: db.query<BindingRow, [number]>(
      `${BINDING} AND b.instruction_id = ? AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = b.workspace_id) ORDER BY b.id`,
    ),
    boundCount: db.query<{ count: number }, [number]>(
      `SELECT count(*) AS count FROM instruction_bindings b LEFT JOIN agents a ON a.id = b.agent_id
       WHERE b.instruction_id = ? AND a.removed_at IS NULL AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = b.workspace_id)`,
    ),
    bindingCount: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM instruction_bindings WHERE workspace_id = ?",
    ),
    bindingBetween: db.query<{ id: number }, [number, number, number | null]>(
      "SELECT id FROM instruction_bindings WHERE workspace_id = ? AND instruction_id = ? AND agent_id IS ?",
    ),
    insertBinding: db.query<{ id: number }, NewBinding>(
      `INSERT INTO instruction_bindings (workspace_id, instruction_id, agent_id, created_at)
       VALUES ($workspace_id, $instruction_id, $agent_id, $created_at) RETURNING id`,
    ),
    deleteBinding: db.query<never, [number]>("DELETE FROM instruction_bindings WHERE id = ?"),
    /** In the order of the prompt: bindings to the workspace first, then to this agent, each by name and without duplicates. */
    textsFor: db.query<{ name: string; version: number; text: string }, [number, number]>(
      `SELECT i.name, i.version, i.text FROM instruction_bindings b JOIN instructions i ON i.id = b.instruction_id
       WHERE b.workspace_id = ? AND (b.agent_id IS NULL OR b.agent_id = ?)
       GROUP BY i.id ORDER BY min(b.agent_id IS NOT NULL), i.name_key`,
    ),
  };
}
