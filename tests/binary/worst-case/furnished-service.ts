// The service that the worst cases are asked of (service-rows.ts): furnished with as much as there may be.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import {
  AGENTS_PER_WORKSPACE_MAX,
  ROLES_BYTES_MAX,
  WIRES_PER_WORKSPACE_MAX,
} from "../../../src/service/blueprint/schema.ts";
import { CHAT_CHARACTERS_MAX } from "../../../src/service/turns/schema.ts";
import { attach } from "../../kit/service/attaching.ts";
import { createClient } from "../../kit/http/client.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { addTurns } from "../../kit/service/long-conversation.ts";
import { measuredServer } from "../../kit/service/measured-server.ts";
import { say, startModel } from "../../kit/model/index.ts";
import { addMemory } from "../../kit/service/large-memory.ts";
import { world } from "../../kit/service/world.ts";
import { addLibrary } from "./library-rows.ts";
import { PICTURE } from "./message-rows.ts";
import { TRIES } from "./nobody-waits.ts";
import { addWorkspaces } from "./workspace-rows.ts";
import type { FurnishedService } from "./service-asks.ts";

const TURNS = 5_000;
const SPARE_TURNS = 3_000;
/** More than 20 MB as the text of a list. */
const LONG_TURNS = 100;
/** The newest of these, which a prompt has: counting the tokens of all would take minutes. */
const LONG_REPLAYED = 10;
const LONG_TOOL_CALLS = 60;
/** As many as a replay reads of at once. */
export const LONG_EVENTS = 200;
const CALLS = 5_000;
const EVENTS = 10_000;
const AUDIT_RECORDS = 50_000;
const FILE_BYTES = 2 * 1024 * 1024;
const ROLE_SENTENCE = "Read what you are given. ";
const ROLE_SENTENCES = Math.floor(ROLES_BYTES_MAX / AGENTS_PER_WORKSPACE_MAX / ROLE_SENTENCE.length) - 1;

export async function furnishedService(): Promise<FurnishedService> {
  const folder = await temporaryFolder();
  const backups = await temporaryFolder();
  const model = await startModel({});
  model.on("m", () => say("ok"));
  const furnished = await furnish(folder.path, model.openaiUrl);
  await allowBackups(folder.path, backups.path);
  const measured = await measuredServer("service", folder.path);
  return {
    ...furnished,
    data: folder.path,
    measured,
    admin: createClient(measured.url),
    async [Symbol.asyncDispose]() {
      await measured[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await backups[Symbol.asyncDispose]();
    },
  };
}

/** Beside what the configuration says already. */
async function allowBackups(data: string, directory: string): Promise<void> {
  const file = Bun.file(join(data, "config.yaml"));
  const config = Bun.YAML.parse(await file.text()) as object;
  await file.write(Bun.YAML.stringify({ ...config, backup: { directory } }));
}

async function furnish(data: string, modelUrl: string) {
  const lab = await world({ data });
  const { admin } = lab;
  const provider = await admin.post("/providers", {
    name: "p",
    type: "openai-compatible",
    base_url: modelUrl,
    api_key: "k",
  });
  const { id: modelId } = await admin.post("/models", {
    provider_id: provider.id,
    model_name: "m",
    images: true,
  });
  const begun = async (name: string) => {
    const { id } = await admin.post("/workspaces", { name, orchestrator_model_id: modelId });
    const chat = { method: "POST", body: { text: "first" } };
    await (await admin.events(`/workspaces/${id}/chat`, chat)).all();
    return id;
  };
  const workspaceId = await begun("w");
  const crowdedId = await begun("crowded");
  const libraryId = await begun("library");
  const longId = await begun("long");
  const spareIds: number[] = [];
  while (spareIds.length < TRIES) spareIds.push(await begun(`spare ${spareIds.length}`));
  const [agent] = await admin.get(`/workspaces/${workspaceId}/agents`);
  const [turn] = await admin.get(`/workspaces/${workspaceId}/turns`);
  const [longAgent] = await admin.get(`/workspaces/${longId}/agents`);
  const [longTurn] = await admin.get(`/workspaces/${longId}/turns`);
  await admin.raw("PUT", `/workspaces/${workspaceId}/file?path=read.txt`, {
    body: "x\n".repeat(FILE_BYTES / 2 - 1),
  });
  const { hash: attachedHash } = await attach({ admin, own: `/workspaces/${workspaceId}` }, PICTURE, "a.png");
  const { id: userId } = await lab.user("worst");
  const { branch } = await admin.get(`/workspaces/${workspaceId}`);
  await lab.program.service.stop("furnished");
  await addMemory(data, branch);
  const path = join(data, "service.db");
  addAgents(path, crowdedId);
  addWorkspaces(path);
  const instructionId = addLibrary(path, libraryId);
  for (const id of spareIds) addConversation(path, id);
  const longCallId = addLongMessages(path, longId);
  const calls = addMuch(path, workspaceId);
  const forkId = addFork(path, turn!.id);
  const ids = {
    attachedHash,
    crowdedId,
    libraryId,
    instructionId,
    longId,
    longCallId,
    longAgentId: longAgent!.id,
    longTurnId: longTurn!.id,
    spareIds,
    workspaceId,
    agentId: agent!.id,
    turnId: turn!.id,
    modelId,
    userId,
  };
  return { ...ids, branch, calls, forkId };
}

/** Beside the first turn of a conversation. */
function addFork(path: string, turnId: number): number {
  using db = new Database(path);
  const fork = db.query<{ id: number }, [number]>(
    `INSERT INTO turns (workspace_id, number, status, text, user_id, user_name, auth, created_at, started_at, finished_at)
     SELECT workspace_id, (SELECT count(*) + 1 FROM turns), status, text, user_id, user_name, auth, created_at, started_at, finished_at FROM turns WHERE id = ? RETURNING id`,
  );
  return fork.get(turnId)!.id;
}

/** As many as there may be, and wires. */
function addAgents(path: string, workspaceId: number): void {
  using db = new Database(path);
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
     INSERT INTO agents (workspace_id, name, name_key, role, model_id, orchestrator, x, y, created_at)
     SELECT workspace_id, 'a' || i, 'a' || i, ?2, model_id, 0, 0, 0, created_at
     FROM n, (SELECT * FROM agents WHERE workspace_id = ?3 AND orchestrator = 1)`,
    [AGENTS_PER_WORKSPACE_MAX, ROLE_SENTENCE.repeat(ROLE_SENTENCES), workspaceId],
  );
  db.run(
    `INSERT INTO wires (workspace_id, from_agent_id, to_agent_id, created_at)
     SELECT ?1, a.id, b.id, 0 FROM agents a JOIN agents b ON b.workspace_id = ?1 AND b.id <> a.id WHERE a.workspace_id = ?1 LIMIT ?2`,
    [workspaceId, WIRES_PER_WORKSPACE_MAX],
  );
}

function addConversation(path: string, workspaceId: number): void {
  using db = new Database(path);
  addTurns(db, workspaceId, SPARE_TURNS);
}

/** Returns a call that was sent the newest of the messages. */
function addLongMessages(path: string, workspaceId: number): number {
  using db = new Database(path);
  addTurns(db, workspaceId, LONG_TURNS);
  const text = "word ".repeat(CHAT_CHARACTERS_MAX / 5);
  db.run("UPDATE turns SET text = ? WHERE workspace_id = ?", [text, workspaceId]);
  db.run("UPDATE entries SET text = ? WHERE workspace_id = ?", [text, workspaceId]);
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO events (workspace_id, id, turn_id, type, content)
     SELECT workspace_id, (SELECT max(id) FROM events WHERE workspace_id = ?3) + i, NULL, type, json_set(content, '$.data.entry.text', ?2)
     FROM n, (SELECT * FROM events WHERE workspace_id = ?3 AND type = 'entry' LIMIT 1)`,
    [LONG_EVENTS, text, workspaceId],
  );
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO tool_calls (call_id, workspace_id, turn_id, run_id, position, tool, arguments, state)
     SELECT 'long ' || i, r.workspace_id, r.turn_id, r.id, i, 'file_write', ?2, 'done'
     FROM n, (SELECT * FROM runs WHERE workspace_id = ?3 ORDER BY id LIMIT 1) r`,
    [LONG_TOOL_CALLS, text, workspaceId],
  );
  const { first, last } = db
    .query<{ first: number; last: number }, [number, number]>(
      "SELECT min(id) AS first, max(id) AS last FROM (SELECT id FROM entries WHERE workspace_id = ? ORDER BY id DESC LIMIT ?)",
    )
    .get(workspaceId, LONG_REPLAYED)!;
  db.run("UPDATE entries SET forgotten_at = 0 WHERE workspace_id = ? AND id < ?", [workspaceId, first]);
  return db
    .query<{ id: number }, [string, number]>(
      "UPDATE calls SET parts = ? WHERE id = (SELECT min(id) FROM calls WHERE workspace_id = ?) RETURNING id",
    )
    .get(`e${first}-${last}`, workspaceId)!.id;
}

/** Entries, and calls: two that were sent all of the conversation, and one that was sent all but its first entry. */
function addMuch(path: string, workspaceId: number): readonly [number, number] {
  using db = new Database(path);
  addTurns(db, workspaceId, TURNS);
  const { last } = db.query<{ last: number }, []>("SELECT max(id) AS last FROM entries").get()!;
  const columns = (db.query("PRAGMA table_info(calls)").all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== "id");
  const call = db
    .query<{ id: number; parts: string }, []>("SELECT id, parts FROM calls ORDER BY id LIMIT 1")
    .get()!;
  const stable = call.parts.replace(/,?e.*$/, "");
  const copy = (parts: string) => {
    const selected = columns.map((name) => (name === "parts" ? "?1" : name)).join(", ");
    return db
      .query<{ id: number }, [string]>(
        `INSERT INTO calls (${columns.join(", ")}) SELECT ${selected} FROM calls WHERE id = ${call.id} RETURNING id`,
      )
      .get(parts)!.id;
  };
  db.run("BEGIN");
  for (let index = 0; index < CALLS; index += 1) copy(stable);
  const before = copy(`${stable},e1-${last - 2}`);
  const whole = copy(`${stable},e1-${last}`);
  copy(`${stable},e2-${last}`);
  // As many events as a long life brings: copies of one.
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO events (workspace_id, id, turn_id, type, content)
     SELECT workspace_id, (SELECT max(id) FROM events WHERE workspace_id = ?2) + i, NULL, type, content
     FROM n, (SELECT * FROM events WHERE workspace_id = ?2 AND type = 'entry' LIMIT 1)`,
    [EVENTS, workspaceId],
  );
  // Only to be read: they are not linked, so nothing verifies them.
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO audit (seq, record, prev, hash)
     SELECT (SELECT max(seq) FROM audit) + i, record, prev, hash FROM n, (SELECT * FROM audit ORDER BY seq DESC LIMIT 1)`,
    [AUDIT_RECORDS],
  );
  db.run("UPDATE audit_head SET seq = (SELECT max(seq) FROM audit)");
  db.run("COMMIT");
  return [whole, before];
}
