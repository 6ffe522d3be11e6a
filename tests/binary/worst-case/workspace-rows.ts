// The worst that a caller can ask of the list of workspaces, of export and of import.

import { Database } from "bun:sqlite";
import { get, own, type FurnishedService, type ServiceCase } from "./service-asks.ts";

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
  },
};

async function transfer({ admin }: FurnishedService, id: number): Promise<void> {
  const file = await (await admin.raw("GET", `/workspaces/${id}/export`)).text();
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
