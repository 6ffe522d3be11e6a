// SQL of gears, their versions and their files.

import type { Db } from "../../kit/storage/db.ts";
import type { AuthKind } from "../identity/schema.ts";
import type { GearRuntime, GearStatus, GearVerdict } from "./schema.ts";

export interface GearRow {
  id: number;
  name: string;
  /** A JSON array, like `tests`. */
  tags: string;
  tests: string;
  status: GearStatus;
  version: number;
  timeout_seconds: number;
  author_id: number;
  author: string;
  forged_by: string | null;
  workspace_id: number | null;
  approved_hash: string | null;
  approved_by_id: number | null;
  approved_by: string | null;
  approved_auth: AuthKind | null;
  approved_at: number | null;
  /** Whether gears were isolated when it was approved. */
  approved_isolated: number | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  /** These fields are those of the current version. */
  version_id: number;
  description: string;
  runtime: GearRuntime;
  entrypoint: string;
  args_schema: string;
  hash: string;
  bytes: number;
}

interface VersionRow {
  id: number;
  gear_id: number;
  version: number;
  description: string;
  runtime: GearRuntime;
  entrypoint: string;
  args_schema: string;
  hash: string;
  bytes: number;
  author_id: number;
  author: string;
  created_at: number;
}

/** A version of an earlier build, whose hash did not cover the description. */
interface UnhashedRow {
  id: number;
  gear_id: number;
  name: string;
  description: string;
  runtime: GearRuntime;
  entrypoint: string;
  args_schema: string;
  is_approved: number;
}

export interface FileRow {
  path: string;
  encoding: "utf8" | "base64";
  content: Uint8Array;
}

type NewGear = Pick<
  GearRow,
  | "name"
  | "tags"
  | "tests"
  | "timeout_seconds"
  | "author_id"
  | "author"
  | "forged_by"
  | "workspace_id"
  | "created_at"
  | "updated_at"
>;

interface GearApproval {
  id: number;
  approved_hash: string;
  approved_by_id: number;
  approved_by: string;
  approved_auth: AuthKind;
  approved_at: number;
  approved_isolated: number;
}

/** Clears an approval; the statement also sets the status. */
const NO_APPROVAL = `approved_hash = NULL, approved_by_id = NULL, approved_by = NULL, approved_auth = NULL, approved_at = NULL,
  approved_isolated = NULL`;
const GEAR = `SELECT g.id, g.name, g.tags, g.tests, g.status, g.version, g.timeout_seconds, g.author_id, g.author, g.forged_by,
  g.workspace_id, g.approved_hash, g.approved_by_id, g.approved_by, g.approved_auth, g.approved_at, g.approved_isolated, g.created_at, g.updated_at, g.deleted_at,
  v.id AS version_id, v.description, v.runtime, v.entrypoint, v.args_schema, v.hash, v.bytes
  FROM gears g JOIN gear_versions v ON v.gear_id = g.id AND v.version = g.version`;

const DECISION =
  "SELECT gear_id, version, hash, decision, isolated, decided_by, auth, decided_at FROM gear_decisions";

export interface GearDecisionRow {
  gear_id: number;
  version: number;
  hash: string;
  decision: GearVerdict;
  isolated: number;
  decided_by: string;
  auth: AuthKind;
  decided_at: number;
}

export type GearStore = ReturnType<typeof gearStore>;

export function gearStore(db: Db) {
  return {
    byId: db.query<GearRow, [number]>(`${GEAR} WHERE g.id = ? AND g.deleted_at IS NULL`),
    withDeleted: db.query<GearRow, [number]>(`${GEAR} WHERE g.id = ?`),
    byName: db.query<GearRow, [string]>(`${GEAR} WHERE g.name = ? AND g.deleted_at IS NULL`),
    page: db.query<GearRow, [string, number]>(
      `${GEAR} WHERE g.deleted_at IS NULL AND g.name > ?1 ORDER BY g.name LIMIT ?2`,
    ),
    count: db.query<{ count: number }, []>("SELECT count(*) AS count FROM gears WHERE deleted_at IS NULL"),
    // Parameter 1 is whether gears are isolated now. Without isolation, an approval under isolation must be renewed.
    undecided: db.query<GearRow, [number, number]>(
      `${GEAR} WHERE (g.status = 'pending' OR g.approved_isolated > ?) AND g.deleted_at IS NULL ORDER BY g.updated_at, g.id LIMIT ?`,
    ),
    insert: db.query<{ id: number }, NewGear>(
      `INSERT INTO gears (name, tags, tests, status, version, timeout_seconds, author_id, author, forged_by, workspace_id, created_at, updated_at)
       VALUES ($name, $tags, $tests, 'pending', 1, $timeout_seconds, $author_id, $author, $forged_by, $workspace_id, $created_at,
         $updated_at) RETURNING id`,
    ),
    update: db.query<never, Pick<GearRow, "id" | "tags" | "tests" | "version" | "updated_at">>(
      "UPDATE gears SET tags = $tags, tests = $tests, version = $version, updated_at = $updated_at WHERE id = $id",
    ),
    approve: db.query<never, GearApproval>(
      `UPDATE gears SET status = 'approved', approved_hash = $approved_hash, approved_by_id = $approved_by_id, approved_by = $approved_by,
         approved_auth = $approved_auth, approved_at = $approved_at,
       approved_isolated = $approved_isolated WHERE id = $id`,
    ),
    setStatus: db.query<never, [GearStatus, number]>(
      `UPDATE gears SET status = ?, ${NO_APPROVAL} WHERE id = ?`,
    ),
    setTimeout: db.query<never, [number, number]>("UPDATE gears SET timeout_seconds = ? WHERE id = ?"),
    remove: db.query<never, [number, number]>(
      `UPDATE gears SET deleted_at = ?, status = 'disabled', ${NO_APPROVAL} WHERE id = ?`,
    ),
    insertVersion: db.query<{ id: number }, Omit<VersionRow, "id">>(
      `INSERT INTO gear_versions (gear_id, version, description, runtime, entrypoint, args_schema, hash, bytes, author_id, author, created_at)
       VALUES ($gear_id, $version, $description, $runtime, $entrypoint, $args_schema, $hash, $bytes, $author_id, $author, $created_at) RETURNING id`,
    ),
    versions: db.query<VersionRow, [number, number, number]>(
      `SELECT id, gear_id, version, description, runtime, entrypoint, args_schema, hash, bytes, author_id, author, created_at
       FROM gear_versions WHERE gear_id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
    ),
    insertFile: db.query<never, FileRow & { version_id: number }>(
      "INSERT INTO gear_files (version_id, path, encoding, content) VALUES ($version_id, $path, $encoding, $content)",
    ),
    files: db.query<FileRow, [number]>(
      "SELECT path, encoding, content FROM gear_files WHERE version_id = ? ORDER BY path",
    ),
    unhashed: db.query<UnhashedRow, []>(
      `SELECT v.id, v.gear_id, g.name, v.description, v.runtime, v.entrypoint, v.args_schema,
         g.status = 'approved' AND g.version = v.version AS is_approved
       FROM gear_versions v JOIN gears g ON g.id = v.gear_id WHERE v.hash = '' ORDER BY v.id LIMIT 1`,
    ),
    insertDecision: db.query<never, GearDecisionRow>(
      `INSERT INTO gear_decisions (gear_id, version, hash, decision, isolated, decided_by, auth, decided_at)
       VALUES ($gear_id, $version, $hash, $decision, $isolated, $decided_by, $auth, $decided_at)`,
    ),
    decisions: db.query<GearDecisionRow, [number, number]>(
      `${DECISION} WHERE gear_id = ? ORDER BY id DESC LIMIT ?`,
    ),
    decisionsOn: db.query<GearDecisionRow, [number, number, number]>(
      `${DECISION} WHERE gear_id = ? AND version = ? ORDER BY id DESC LIMIT ?`,
    ),
    setHash: db.query<never, [string, number]>("UPDATE gear_versions SET hash = ? WHERE id = ?"),
  };
}
