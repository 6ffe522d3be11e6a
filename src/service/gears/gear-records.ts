// Converts gears to API records.

import { rfc3339 } from "../../kit/clock.ts";
import { shownCode, shownFiles } from "./content.ts";
import { isolationSentence, type Isolation } from "./isolation.ts";
import type { CreatedGear, Gear, GearDecision, GearDetail } from "./schema.ts";
import type { FileRow, GearDecisionRow, GearRow } from "./store.ts";

/** Converts a gear for lists, without its code. `sees` reports whether the caller may see a workspace. */
export function toGear(row: GearRow, isolation: Isolation, sees: (workspaceId: number) => boolean): Gear {
  const { workspace_id } = row;
  return {
    ...toCreated(row, isolation),
    description: row.description,
    args_schema: row.args_schema,
    code_bytes: row.bytes,
    author_id: row.author_id,
    author: row.author,
    forged_by: row.forged_by,
    workspace_id: workspace_id !== null && sees(workspace_id) ? workspace_id : null,
    approval: approvalOf(row),
    isolation: isolationSentence(isolation),
    created_at: rfc3339(row.created_at),
    updated_at: rfc3339(row.updated_at),
  };
}

/** Returns the program as files, and as one text if its entrypoint is text. */
export function shown(entrypoint: string, files: readonly FileRow[]): Pick<GearDetail, "code" | "files"> {
  return { code: shownCode(entrypoint, files), files: shownFiles(files) };
}

/** Oldest first, from rows newest first. */
export function toDecisions(rows: readonly GearDecisionRow[]): GearDecision[] {
  return rows.toReversed().map((row) => ({
    version: row.version,
    decision: row.decision,
    by: row.decided_by,
    auth: row.auth,
    time: rfc3339(row.decided_at),
    content_hash: row.hash,
    isolated: row.isolated === 1,
  }));
}

function approvalOf(row: GearRow): Gear["approval"] {
  if (row.approved_hash === null) return null;
  const { approved_by_id, approved_by, approved_auth, approved_at, approved_hash } = row;
  return {
    user_id: approved_by_id!,
    user: approved_by!,
    auth: approved_auth!,
    time: rfc3339(approved_at!),
    content_hash: approved_hash,
    isolated: row.approved_isolated === 1,
  };
}

/** Converts a new gear: the specified fields, and those that its approval refers to. */
export function toCreated(row: GearRow, { isolated }: Isolation): CreatedGear {
  const { id, name, version, runtime, entrypoint, status, timeout_seconds, hash: content_hash } = row;
  return {
    id,
    name,
    tags: JSON.parse(row.tags) as string[],
    version,
    runtime,
    entrypoint,
    status,
    timeout_seconds,
    content_hash,
    isolated,
  };
}
