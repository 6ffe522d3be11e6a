// Goal: the three locks are checked in the specified order; the first closed one is named, and nothing behind it is reached.

import { expect, test } from "bun:test";
import type { Db } from "../../../src/kit/storage/db.ts";
import { loadConfig } from "../../../src/service/config/config.ts";
import type { DecideRequest, EgressRequest } from "../../../src/service/egress/schema.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import type { Parts } from "../../../src/service/parts.ts";
import type { ToolPorts, ToolScope } from "../../../src/service/tools/tool.ts";
import { testDatabase } from "../../kit/database.ts";
import { refusalText } from "../../kit/http/refusal.ts";
import { admin } from "../../kit/service/callers.ts";
import { testParts } from "../../kit/service/parts.ts";
import { searchService } from "../../kit/service/search-service.ts";

const QUERY = "tea";

interface Bench extends AsyncDisposable {
  parts: Parts;
  scope: ToolScope;
  queries: string[];
  /** The state of locks 1 and 2; the grant is inserted as a row. */
  search(): Promise<{ text: string; waited: boolean; tainted: boolean }>;
  /** The person's decision on each pending request. */
  answer: DecideRequest["decision"];
  rows(): EgressRequest[];
}

async function bench(on: boolean, granted: boolean, answer: DecideRequest["decision"]): Promise<Bench> {
  const made = await testDatabase(migrations);
  const { db, folder } = made;
  const service = searchService();
  const config = { ...loadConfig({ data: folder.path }, {}), egress: on, egressKey: "k" };
  const parts = testParts(db, { config, network: service.network });
  const ids = furnish(db);
  if (granted)
    db.exec(
      `INSERT INTO egress_grants (workspace_id, agent_id, granted_by_id, granted_by, auth, created_at) VALUES (${ids.workspaceId}, ${ids.agentId}, 1, 'a', 'token', 0)`,
    );
  const caller = { ...admin, agent: "scout", turnId: ids.turnId };
  const scope: ToolScope = {
    ...ids,
    agentName: "scout",
    orchestrator: false,
    caller,
    targets: [],
    tainted: false,
  };
  const result: Bench = {
    parts,
    scope,
    queries: service.queries,
    answer,
    rows: () => parts.searches.log(admin, {}),
    async search() {
      let waited = false;
      const ports: ToolPorts = {
        signal: new AbortController().signal,
        callId: "call_1",
        output: () => {},
        waiting: async (work) => {
          waited = true;
          const done = work();
          for (const { id, query_hash } of parts.searches.pending(admin))
            await parts.searches.decide(admin, id, { decision: result.answer, query_hash });
          return done;
        },
      };
      const { text, tainted = false } = await parts.searches.search(scope, QUERY, ports);
      return { text, waited, tainted };
    },
    async [Symbol.asyncDispose]() {
      parts.searches.stop();
      await service[Symbol.asyncDispose]();
      await made[Symbol.asyncDispose]();
    },
  };
  return result;
}

/** Inserts the minimal rows that a search refers to. */
function furnish(db: Db): {
  workspaceId: number;
  agentId: number;
  turnId: number;
  runId: number;
} {
  db.exec(
    "INSERT INTO users (id, name, name_key, role, created_at) VALUES (1, 'admin', 'admin', 'admin', 0)",
  );
  db.exec("INSERT INTO tokens (id, user_id, hash, kind, created_at) VALUES (1, 1, 'h', 'token', 0)");
  db.exec(
    "INSERT INTO providers (id, name, name_key, type, protocol, base_url, api_key, created_at) VALUES (1, 'p', 'p', 'anthropic', 'anthropic', '', '', 0)",
  );
  db.exec("INSERT INTO models (id, provider_id, model_name, label, created_at) VALUES (1, 1, 'm', '', 0)");
  db.exec(
    "INSERT INTO workspace_rows (id, name, name_key, description, branch, shared_branch, owner_id, created_at) VALUES (3, 'lab', 'lab', '', 'b', 'b/shared', 1, 0)",
  );
  db.exec(
    "INSERT INTO agents (id, workspace_id, name, name_key, role, model_id, orchestrator, x, y, created_at) VALUES (5, 3, 'scout', 'scout', '', 1, 0, 0, 0, 0)",
  );
  db.exec(
    "INSERT INTO turns (id, workspace_id, status, text, user_id, user_name, auth, created_at) VALUES (7, 3, 'running', '', 1, 'admin', 'token', 0)",
  );
  db.exec(
    "INSERT INTO runs (id, workspace_id, turn_id, agent_id, depth, status, created_at) VALUES (9, 3, 7, 5, 0, 'running', 0)",
  );
  return { workspaceId: 3, agentId: 5, turnId: 7, runId: 9 };
}

const LOCK_1 =
  "Web search is off for this installation (lock 1 of 3); the operator enables it with egress and egress_key in the configuration. Nothing was searched.";
const LOCK_2 =
  "This agent has no grant for web search (lock 2 of 3); an admin adds one on the blueprint. Nothing was searched.";
const LOCK_3 =
  "A person rejected this search (lock 3 of 3); do not ask for it again in other words. Nothing was searched.";

/** Which locks are open, the resulting text, and how far the call got. */
const cases: {
  open: [boolean, boolean, boolean];
  text: string;
  waited: boolean;
  rows: string[];
  sent: string[];
}[] = [
  { open: [false, false, false], text: LOCK_1, waited: false, rows: [], sent: [] },
  { open: [false, false, true], text: LOCK_1, waited: false, rows: [], sent: [] },
  { open: [false, true, false], text: LOCK_1, waited: false, rows: [], sent: [] },
  { open: [false, true, true], text: LOCK_1, waited: false, rows: [], sent: [] },
  { open: [true, false, false], text: LOCK_2, waited: false, rows: [], sent: [] },
  { open: [true, false, true], text: LOCK_2, waited: false, rows: [], sent: [] },
  { open: [true, true, false], text: LOCK_3, waited: true, rows: ["refused"], sent: [] },
  { open: [true, true, true], text: `Results for "${QUERY}".`, waited: true, rows: ["done"], sent: [QUERY] },
];

test.each(cases)("open: $open", async ({ open: [on, granted, approved], text, waited, rows, sent }) => {
  await using at = await bench(on, granted, approved ? "approve" : "refuse");
  const searched = await at.search();
  expect(searched.text).toStartWith(text);
  expect([searched.waited, searched.tainted]).toEqual([waited, sent.length > 0]);
  expect(at.rows().map(({ state }) => state)).toEqual(rows as EgressRequest["state"][]);
  expect(at.queries).toEqual(sent);
});

test("checks the locks before the query", async () => {
  await using at = await bench(true, false, "approve");
  const ports = {} as ToolPorts;
  expect((await at.parts.searches.search(at.scope, "a=b", ports)).text).toBe(LOCK_2);
});

test("checks the grant again before sending the search", async () => {
  await using at = await bench(true, true, "approve");
  const { searches, grants, db } = at.parts;
  // Approved, but the grant's row is deleted before the waiting call continues.
  const decide = searches.decide.bind(searches);
  searches.decide = async (...args) => {
    const decided = await decide(...args);
    db.exec("DELETE FROM egress_grants");
    return decided;
  };
  expect((await at.search()).text).toBe(LOCK_2);
  expect(at.rows()).toMatchObject([{ state: "refused", decided_by: null, started_at: null }]);
  expect(at.queries).toEqual([]);
  expect(grants.ofWorkspace(3)).toEqual([]);
});

test("refuses the agent's open requests when its grant is revoked", async () => {
  await using at = await bench(true, true, "approve");
  const { searches, grants } = at.parts;
  searches.decide = async () => {
    await grants.remove(admin, 1);
    return at.rows()[0]!;
  };
  expect((await at.search()).text).toBe(
    "This search was rejected (lock 3 of 3): the agent's grant was revoked. Nothing was searched.",
  );
  expect(at.queries).toEqual([]);
});

test("requires locks 1 and 2 for an approval, but not for a refusal", async () => {
  await using at = await bench(true, true, "refuse");
  const { searches, db } = at.parts;
  const decide = searches.decide.bind(searches);
  const refusals: string[] = [];
  searches.decide = async (caller, id, input) => {
    db.exec("DELETE FROM egress_grants");
    refusals.push(await refusalText(() => decide(caller, id, { ...input, decision: "approve" })));
    return decide(caller, id, input);
  };
  expect((await at.search()).text).toBe(LOCK_3);
  expect(refusals).toEqual([
    "refused: this agent has no grant for web search (lock 2 of 3); an admin adds one on the blueprint",
  ]);
});

test("never lets an agent decide, grant or switch off, even for an admin", async () => {
  await using at = await bench(true, false, "approve");
  const { searches, grants } = at.parts;
  const agent = { ...admin, agent: "scout" };
  const ONLY_PERSONS = "forbidden: only a person may do this, never an agent";
  expect(
    await refusalText(async () => searches.decide(agent, 1, { decision: "approve", query_hash: "" })),
  ).toBe(ONLY_PERSONS);
  expect(await refusalText(async () => searches.switchOff(agent))).toBe(ONLY_PERSONS);
  expect(await refusalText(async () => grants.create(agent, 3, 5))).toBe(ONLY_PERSONS);
  expect(await refusalText(async () => grants.remove(agent, 1))).toBe(ONLY_PERSONS);
  expect(searches.approvals(agent, 10)).toEqual([]);
  expect(searches.status()).toEqual({ on: true, reason: null });
});

test("reports an unknown outcome, and does not resend, if the result was not recorded", async () => {
  await using at = await bench(true, true, "approve");
  await at.search();
  at.parts.db.exec("UPDATE egress_requests SET state = 'approved', finished_at = NULL");
  const ports = { callId: "call_1", signal: new AbortController().signal } as ToolPorts;
  expect(await at.parts.searches.resume(at.scope, QUERY, ports)).toEqual({
    outcome: "unknown",
    text: "Interrupted: the search was sent, and its result is not known. It is not repeated automatically.",
  });
  expect(at.queries).toEqual([QUERY]);
});
