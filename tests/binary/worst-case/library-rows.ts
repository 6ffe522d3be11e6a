// Lists of the library with long texts: many instructions, one with many versions, and as many bindings and proposals as there may be.

import { Database } from "bun:sqlite";
import {
  BINDINGS_PER_WORKSPACE_MAX,
  INSTRUCTION_CHARACTERS_MAX,
  PROPOSALS_OPEN_PER_WORKSPACE_MAX,
} from "../../../src/service/library/schema.ts";
import { get, type ServiceCase } from "./service-asks.ts";

const INSTRUCTIONS = 1_000;
const CHARACTERS = INSTRUCTION_CHARACTERS_MAX / 2;
const VERSIONS = 300;
/** With pending proposals. */
const WORKSPACES = 10;

/** While the service does not run. The bindings are those of `workspaceId`. Returns the instruction with many versions. */
export function addLibrary(path: string, workspaceId: number): number {
  using db = new Database(path);
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const text = "word ".repeat(CHARACTERS / 5);
  db.run("BEGIN");
  db.run(
    `${numbers(INSTRUCTIONS)} INSERT INTO instructions (name, name_key, text, version, author_id, author, created_at, updated_at)
     SELECT 'i' || i, 'i' || i, ?1, 1, 1, 'admin', 0, 0 FROM n`,
    [text],
  );
  db.run(
    `${numbers(VERSIONS)} INSERT INTO instruction_versions (instruction_id, version, name, text, hash, author, created_at)
     SELECT (SELECT min(id) FROM instructions), i, 'i1', ?1, 'h', 'admin', 0 FROM n`,
    [text],
  );
  db.run(
    `INSERT INTO instruction_bindings (workspace_id, instruction_id, created_at) SELECT ?1, id, 0 FROM instructions LIMIT ?2`,
    [workspaceId, BINDINGS_PER_WORKSPACE_MAX],
  );
  db.run(
    `${numbers(PROPOSALS_OPEN_PER_WORKSPACE_MAX)}
     INSERT INTO instruction_proposals (workspace_id, name, name_key, text, hash, agent, user_id, user_name, tainted, characters, status, created_at)
     SELECT w.id, 'p' || i, 'p' || i, ?1, 'h' || i, 'a', 1, 'admin', 0, ?2, 'pending', 0 FROM n, (SELECT id FROM workspaces ORDER BY id LIMIT ?3) w`,
    [text, CHARACTERS, WORKSPACES],
  );
  // This is about lists, not about what the index of the search does after a start.
  db.run("DELETE FROM search_queue");
  db.run("COMMIT");
  return db.query<{ id: number }, []>("SELECT min(id) AS id FROM instructions").get()!.id;
}

export const LIBRARY_ROWS: Readonly<Record<string, Readonly<Record<string, ServiceCase>>>> = {
  "GET /instructions": { "many, with long texts": get(() => "/instructions") },
  "GET /instructions/{id}/versions": {
    "many, with long texts": get(({ instructionId }) => `/instructions/${instructionId}/versions?limit=500`),
  },
  "GET /workspaces/{id}/instructions": {
    "as many as there may be, with long texts": get(
      ({ libraryId }) => `/workspaces/${libraryId}/instructions`,
    ),
  },
  "GET /instruction-proposals": {
    "of several workspaces, with long texts": get(() => "/instruction-proposals"),
  },
  "GET /approvals": { "of proposals with long texts": get(() => "/approvals") },
};
