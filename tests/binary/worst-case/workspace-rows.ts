// The worst that a caller can ask of the list of workspaces, of export and of import.

import { Database } from "bun:sqlite";
import { GEAR_CODE_BYTES_MAX } from "../../../src/service/gears/schema.ts";
import type { Client } from "../../kit/http/client.ts";
import { get, own, type FurnishedService, type ServiceCase } from "./service-asks.ts";

/** As many as an import tries. */
const NAMES = 100;
const LINE_CHARACTERS = 128 * 1024;
/** Each with an event and spending of today. */
const WORKSPACES = 2_000;

export const WORKSPACE_ROWS: Readonly<Record<string, Readonly<Record<string, ServiceCase>>>> = {
  "GET /workspaces/activity": {
    "of many": get(() => "/workspaces/activity"),
    "of as many as may be named": get(
      () => `/workspaces/activity?ids=${Array.from({ length: 100 }, (_, index) => index + 1).join(",")}`,
    ),
  },
  "GET /workspaces/events": {
    "after many changes at once": async (service) => {
      await using stream = await service.admin.events("/workspaces/events");
      const agents = Array.from({ length: 50 }, () =>
        service.admin.patch(`/agents/${service.agentId}`, { position: { x: 1, y: 1 } }),
      );
      await Promise.all(agents);
      await stream.next();
    },
  },
  "GET /workspaces/{id}/export": {
    "a long conversation, with a prompt of all of it": get(own("/export")),
    "as many agents and wires as there may be": get(({ crowdedId }) => `/workspaces/${crowdedId}/export`),
  },
  "PUT /workspaces/import": {
    "a long conversation": (service) => transfer(service, service.workspaceId),
    "as many agents and wires as there may be": (service) => transfer(service, service.crowdedId),
    "a large gear, whose name and the next ones are taken": importGear,
  },
};

/** Each name is compared by the hash of the gear under that name. */
async function importGear({ admin, crowdedId }: FurnishedService): Promise<void> {
  const gear = { runtime: "bash", args_schema: '{"type":"object"}', description: "" };
  for (let count = 1; count < NAMES; count += 1) {
    const name = count === 1 ? "taken" : `taken_${count}`;
    await (await admin.raw("POST", "/gears", { body: { ...gear, name, code: "true" } })).text();
  }
  const file = await (await admin.raw("GET", `/workspaces/${crowdedId}/export`)).text();
  const lines = file.split("\n").slice(0, -2);
  const at = lines.findLastIndex((line) => line.includes('"type":"wire"')) + 1;
  const rest = { tags: [], entrypoint: "main.sh", tests: "[]" };
  lines.splice(at, 0, JSON.stringify({ type: "gear", id: 1, name: "taken", ...gear, ...rest }));
  const content = "#".repeat(LINE_CHARACTERS);
  const more = { type: "gear_file", gear: 1, encoding: "utf8", content };
  for (let part = 0; part * LINE_CHARACTERS < GEAR_CODE_BYTES_MAX; part += 1)
    lines.splice(
      at + 1 + part,
      0,
      JSON.stringify({ ...more, path: part === 0 ? "main.sh" : `part-${part}.sh` }),
    );
  await send(admin, lines);
}

async function send(admin: Client, lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join("");
  const sha256 = Bun.CryptoHasher.hash("sha256", text, "hex");
  const body = `${text}${JSON.stringify({ type: "end", lines: lines.length, sha256 })}\n`;
  await put(admin, body);
}

async function transfer({ admin }: FurnishedService, id: number): Promise<void> {
  await put(admin, await (await admin.raw("GET", `/workspaces/${id}/export`)).text());
}

async function put(admin: Client, file: string): Promise<void> {
  const headers = { "Content-Type": "application/x-ndjson" };
  const answer = await admin.raw("PUT", "/workspaces/import", { body: file, headers });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`import: ${answer.status} ${text.slice(0, 200)}`);
}

export function addWorkspaces(path: string): void {
  using db = new Database(path);
  db.run("BEGIN");
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO workspace_rows (name, name_key, description, branch, shared_branch, owner_id, created_at)
     SELECT 'many ' || i, 'many ' || i, 'One of many.', 'workspaces/many-' || i, 'workspaces/many-' || i || '/shared', 1, 0 FROM n`,
    [WORKSPACES],
  );
  db.run("INSERT OR IGNORE INTO activity (workspace_id, at) SELECT id, id FROM workspace_rows");
  db.run(
    `INSERT INTO spending (workspace_id, agent_id, day, turn_id, tokens, cost_nano, unpriced_calls)
     SELECT id, 0, date('now'), 1, 10, 10, 0 FROM workspace_rows WHERE name_key LIKE 'many %'`,
  );
  db.run("COMMIT");
}
