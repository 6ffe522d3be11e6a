// The list of 1,000 workspaces with what happens in each, and the export and import of a conversation of 10,000 entries.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startService, type Service } from "../../src/service/main.ts";
import { atEnd } from "../kit/at-end.ts";
import { createClient, type Client } from "../kit/http/client.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { addTurns } from "../kit/service/long-conversation.ts";
import { providedWorkspaces } from "../kit/service/provided.ts";
import { say, startModel } from "../kit/model/index.ts";
import { figure, median, type Row } from "./row.ts";

const WORKSPACES = 1_000;
const TURNS = 5_000;
const REQUESTS = 40;
const TRANSFERS = 3;
const MIB = 1024 * 1024;

export async function run(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  await using model = await startModel({});
  model.on("m", () => say("ok"));
  const start = () =>
    startService({
      flags: { data: folder.path, listen: "127.0.0.1:0", logLevel: "error" },
      environment: { HOME: folder.path },
      log: { format: "json", write: () => {} },
    });
  const first = await start();
  const workspaceId = await seed(createClient(first.url), model.openaiUrl);
  await first.stop("seeded");
  fill(join(folder.path, "service.db"), workspaceId);
  const service = await start();
  await using _ = atEnd(() => service.stop("done"));
  return [...(await lists(service)), ...(await transfers(createClient(service.url), workspaceId))];
}

async function lists(service: Service): Promise<Row[]> {
  const client = createClient(service.url);
  const typical = async (path: string) => {
    const times: number[] = [];
    for (let index = 0; index <= REQUESTS; index++) {
      const sent = performance.now();
      await (await client.raw("GET", path)).arrayBuffer();
      times.push(performance.now() - sent);
    }
    return median(times.slice(1));
  };
  return [
    figure(`list of ${WORKSPACES} workspaces, median`, await typical("/workspaces"), { atMost: 50 }),
    figure("what happens in each of them, median", await typical("/workspaces/activity"), { atMost: 50 }),
  ];
}

async function transfers(client: Client, workspaceId: number): Promise<Row[]> {
  const [exports, imports]: [number[], number[]] = [[], []];
  let file = "";
  for (let index = 0; index < TRANSFERS; index++) {
    const asked = performance.now();
    file = await (await client.raw("GET", `/workspaces/${workspaceId}/export`)).text();
    exports.push(performance.now() - asked);
    const sent = performance.now();
    const headers = { "Content-Type": "application/x-ndjson" };
    const answer = await client.raw("PUT", "/workspaces/import", { body: file, headers });
    await answer.arrayBuffer();
    if (answer.status !== 201) throw new Error(`import: ${answer.status}`);
    imports.push(performance.now() - sent);
  }
  const seconds = (times: number[]) => median(times) / 1000;
  const size = `${TURNS * 2} entries, ${(file.length / MIB).toFixed(1)} MiB`;
  return [
    figure(`export of ${size}`, seconds(exports), { unit: "s", atMost: 3 }),
    figure(`import of ${size}`, seconds(imports), { unit: "s", atMost: 6 }),
  ];
}

async function seed(client: Client, baseUrl: string): Promise<number> {
  const [workspace] = await providedWorkspaces(client, baseUrl, "w");
  const chat = { method: "POST", body: { text: "first" } };
  await (await client.events(`/workspaces/${workspace.id}/chat`, chat)).all();
  return workspace.id;
}

function fill(path: string, workspaceId: number): void {
  using db = new Database(path);
  addTurns(db, workspaceId, TURNS);
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
     INSERT INTO workspace_rows (name, name_key, description, branch, shared_branch, owner_id, created_at)
     SELECT 'many ' || i, 'many ' || i, 'One of many.', 'workspaces/many-' || i, 'workspaces/many-' || i || '/shared', 1, 0 FROM n`,
    [WORKSPACES],
  );
  db.run("INSERT OR IGNORE INTO activity (workspace_id, at) SELECT id, id FROM workspace_rows");
  db.run(
    `INSERT INTO spending (workspace_id, agent_id, day, turn_id, tokens, cost_nano, unpriced_calls)
     SELECT id, 0, date('now'), 1, 10, 10, 0 FROM workspace_rows WHERE name_key LIKE 'many %'`,
  );
}
