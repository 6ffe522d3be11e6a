// Goal: tool calls and tasks recorded by an earlier build look the same as new ones.

import { expect, test } from "bun:test";
import { openDatabase, type Db } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";

const STEPS = migrations.findIndex(({ name }) => name === "006_steps");

/** A turn of the old schema: a delegation of two seconds, and one that a crash interrupted. */
const OLD_TURN = `
  INSERT INTO users VALUES (1, 'a', 'a', 'admin', NULL, 0);
  INSERT INTO providers VALUES (1, 'p', 'p', 'anthropic', 'anthropic', 'http://127.0.0.1', '', 0, NULL);
  INSERT INTO models VALUES (1, 1, 'm', 'm', NULL, NULL, NULL, NULL, 0, NULL);
  INSERT INTO workspaces VALUES (1, 'w', 'w', '', 'b', 's', 1, NULL, 0);
  INSERT INTO agents VALUES (1, 1, 'orchestrator', 'orchestrator', '', 1, 1, 0, 0, NULL, 0, NULL);
  INSERT INTO turns (id, workspace_id, status, text, user_id, user_name, auth, created_at) VALUES (1, 1, 'done', 't', 1, 'a', 'token', 0);
  INSERT INTO runs VALUES (1, 1, 1, 1, NULL, NULL, 0, 'done', 0, 9000), (2, 1, 1, 1, 1, 'one', 1, 'done', 1000, 3000);
  INSERT INTO tool_calls VALUES ('one', 1, 1, 1, 0, 'delegate', '{}', 'done', 1000, 3000),
    ('two', 1, 1, 1, 1, 'delegate', '{}', 'done', 1000, 900000);
  INSERT INTO entries (id, workspace_id, turn_id, run_id, agent_id, thread, kind, text, call_id, tool, outcome, created_at) VALUES
    (1, 1, 1, 1, 1, 0, 'person', 't', NULL, NULL, NULL, 0), (2, 1, 1, 2, 1, 2, 'task', 'x', NULL, NULL, NULL, 1000),
    (3, 1, 1, 1, 1, 0, 'tool', 'ok', 'one', 'delegate', 'ok', 3000), (4, 1, 1, 1, 1, 0, 'tool', '?', 'two', 'delegate', 'unknown', 900000);
`;

function entries(db: Db): unknown[] {
  return db.query<object, []>("SELECT id, kind, call_id, duration_ms FROM entries ORDER BY id").all();
}

test("links tasks to their call, and gives a call with a known end its duration", async () => {
  await using folder = await temporaryFolder();
  const db = openDatabase(`${folder.path}/service.db`);
  migrate(db, migrations.slice(0, STEPS), 0);
  db.writeNow(() => db.exec(OLD_TURN));
  expect(migrate(db, migrations, 1).applied).toEqual(migrations.slice(STEPS).map(({ name }) => name));
  expect(entries(db)).toEqual([
    { id: 1, kind: "person", call_id: null, duration_ms: null },
    { id: 2, kind: "task", call_id: "one", duration_ms: null },
    { id: 3, kind: "tool", call_id: "one", duration_ms: 2000 },
    { id: 4, kind: "tool", call_id: "two", duration_ms: null },
  ]);
  db.close();
});

const RIGHTS = migrations.findIndex(({ name }) => name === "008_rights_and_taint");

/** A turn with a search: question, call, result and answer, with costs as binary fractions. */
const OLD_SEARCH = `
  UPDATE turns SET tainted_at = 2500 WHERE id = 1;
  INSERT INTO calls (id, workspace_id, turn_id, run_id, agent_id, round, model_id, model_name, provider_name, protocol, parts, settings, status,
    cost, started_at) VALUES (1, 1, 1, 1, 1, 0, 1, 'm', 'p', 'anthropic', '', '{}', 'done', 0.1 + 0.2, 0),
    (2, 1, 1, 1, 1, 1, 1, 'm', 'p', 'anthropic', '', '{}', 'failed', NULL, 0);
  INSERT INTO spending (workspace_id, agent_id, day, turn_id, tokens, cost) VALUES (1, 0, '2026-11-01', 1, 9, 0.1 + 0.2);
`;

test("marks the entries of a tainted turn, knows its person, and converts money to integers", async () => {
  await using folder = await temporaryFolder();
  const db = openDatabase(`${folder.path}/service.db`);
  migrate(db, migrations.slice(0, STEPS), 0);
  db.writeNow(() => db.exec(OLD_TURN));
  migrate(db, migrations.slice(0, RIGHTS), 0);
  db.writeNow(() => db.exec(OLD_SEARCH));
  migrate(db, migrations, 1);
  const all = (sql: string) => db.query<object, []>(sql).all();
  expect(all("SELECT id, tainted FROM entries ORDER BY id")).toEqual([
    { id: 1, tainted: 0 },
    { id: 2, tainted: 0 },
    { id: 3, tainted: 1 },
    { id: 4, tainted: 1 },
  ]);
  expect(all("SELECT acting_id, acting_name, acting_auth, acting_token_id, truncated FROM turns")).toEqual([
    { acting_id: 1, acting_name: "a", acting_auth: "token", acting_token_id: null, truncated: 0 },
  ]);
  expect(all("SELECT cost_nano FROM calls ORDER BY id")).toEqual([
    { cost_nano: 300_000_000 },
    { cost_nano: null },
  ]);
  expect(all("SELECT cost_nano FROM spending")).toEqual([{ cost_nano: 300_000_000 }]);
  db.close();
});

const NUMBERS = migrations.findIndex(({ name }) => name === "013_numbers_and_tokens");

/** Turns of two workspaces, answers with their calls, and spending with and without a cost. */
const OLD_ANSWERS = `
  INSERT INTO workspace_rows (id, name, name_key, description, branch, shared_branch, owner_id, created_at)
    VALUES (2, 'v', 'v', '', 'b2', 's2', 1, 0);
  INSERT INTO turns (id, workspace_id, status, text, user_id, user_name, auth, created_at)
    VALUES (2, 2, 'done', 't', 1, 'a', 'token', 0), (3, 1, 'done', 't', 1, 'a', 'token', 0);
  INSERT INTO calls (id, workspace_id, turn_id, run_id, agent_id, round, model_id, model_name, provider_name, protocol, parts, settings, status,
    input_tokens, output_tokens, started_at, duration_ms) VALUES
    (1, 1, 1, 1, 1, 0, 1, 'm', 'p', 'anthropic', '', '{}', 'done', 10, 1, 0, 100),
    (2, 1, 1, 1, 1, 1, 1, 'm', 'p', 'anthropic', '', '{}', 'done', 20, 2, 100, 100);
  INSERT INTO entries (id, workspace_id, turn_id, run_id, agent_id, thread, kind, text, created_at) VALUES
    (11, 1, 1, 1, 1, 0, 'agent', 'first', 100), (12, 1, 1, 1, 1, 0, 'agent', 'second', 200), (13, 1, 1, 2, 1, 2, 'agent', 'no call', 200);
  INSERT INTO spending (workspace_id, agent_id, day, turn_id, tokens, cost_nano)
    VALUES (1, 0, '2026-11-02', 1, 9, 0), (1, 0, '2026-11-03', 1, 9, 5);
`;

test("numbers the turns of each workspace, gives answers their tokens, and knows spending of unknown cost", async () => {
  await using folder = await temporaryFolder();
  const db = openDatabase(`${folder.path}/service.db`);
  migrate(db, migrations.slice(0, STEPS), 0);
  db.writeNow(() => db.exec(OLD_TURN));
  migrate(db, migrations.slice(0, NUMBERS), 0);
  db.writeNow(() => db.exec(OLD_ANSWERS));
  migrate(db, migrations, 1);
  const all = (sql: string) => db.query<object, []>(sql).all();
  expect(all("SELECT id, number FROM turns ORDER BY id")).toEqual([
    { id: 1, number: 1 },
    { id: 2, number: 1 },
    { id: 3, number: 2 },
  ]);
  expect(
    all("SELECT text, input_tokens, output_tokens FROM entries WHERE kind = 'agent' ORDER BY id"),
  ).toEqual([
    { text: "first", input_tokens: 10, output_tokens: 1 },
    { text: "second", input_tokens: 20, output_tokens: 2 },
    { text: "no call", input_tokens: null, output_tokens: null },
  ]);
  expect(all("SELECT day, unpriced_calls FROM spending ORDER BY day")).toEqual([
    { day: "2026-11-02", unpriced_calls: 1 },
    { day: "2026-11-03", unpriced_calls: 0 },
  ]);
  db.close();
});

const IMPORTED = migrations.findIndex(({ name }) => name === "023_imported_turns");

test("marks turns that were imported before, which have no events", async () => {
  await using folder = await temporaryFolder();
  const db = openDatabase(`${folder.path}/service.db`);
  migrate(db, migrations.slice(0, STEPS), 0);
  db.writeNow(() => db.exec(OLD_TURN));
  migrate(db, migrations.slice(0, IMPORTED), 1);
  db.writeNow(() =>
    db.exec(`
      INSERT INTO turns (id, workspace_id, number, status, text, user_id, user_name, auth, created_at, acting_id, acting_name)
        VALUES (2, 1, 2, 'done', 't', 1, 'a', 'token', 0, 1, 'a');
      INSERT INTO events (workspace_id, id, turn_id, type, content) VALUES (1, 900, 2, 'turn.started', '{}');
    `),
  );
  migrate(db, migrations, 2);
  expect(db.query<object, []>("SELECT id, imported FROM turns ORDER BY id").all()).toEqual([
    { id: 1, imported: 1 },
    { id: 2, imported: 0 },
  ]);
  db.close();
});
