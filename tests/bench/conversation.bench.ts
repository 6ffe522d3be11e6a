// A long conversation: how soon after the message the provider's request is there, with 5,000 entries to replay.
// The entries are written straight into the database, as the service itself would have; the first turn after the start reads them all.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startModel, say } from "../kit/model/index.ts";
import { startService } from "../../src/service/main.ts";
import { createClient, type Client } from "../kit/http/client.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { providedWorkspaces } from "../kit/service/provided.ts";
import { figure, median, type Row } from "./row.ts";

const ENTRIES = 5000;
const TEXT = "The quick brown fox jumps over the lazy dog, and it does so again. ".repeat(6);
/** Before the others, so that the program's hot code is compiled: a server that runs for days has that behind it. */
const FIRST_TURNS = 40;
const TURNS = 40;

export async function run(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  await using model = await startModel({});
  let arrived = 0;
  model.on("m", () => {
    arrived = performance.now();
    return say("ok");
  });
  const start = () =>
    startService({
      flags: { data: folder.path, listen: "127.0.0.1:0", logLevel: "error" },
      environment: { HOME: folder.path },
      log: { format: "json", write: () => {} },
    });
  const first = await start();
  const workspaceId = await seed(createClient(first.url), model.openaiUrl);
  await first.stop("seeded");
  addEntries(join(folder.path, "service.db"), workspaceId);
  const service = await start();
  const client = createClient(service.url);
  const delays: number[] = [];
  for (let turn = 0; turn <= FIRST_TURNS + TURNS; turn++) {
    const sent = performance.now();
    await (
      await client.events(`/workspaces/${workspaceId}/chat`, { method: "POST", body: { text: "next" } })
    ).all();
    delays.push(arrived - sent);
  }
  await service.stop("done");
  const cold = delays.shift()!;
  const early = median(delays.splice(0, FIRST_TURNS));
  const warm = median(delays);
  return [
    figure(`message to provider's request, ${ENTRIES} entries, median`, warm, { atMost: 20 }),
    figure(`the same, in the first ${FIRST_TURNS} turns`, early),
    figure("the same, first turn after a start", cold),
  ];
}

async function seed(client: Client, baseUrl: string): Promise<number> {
  const [workspace] = await providedWorkspaces(client, baseUrl, "w");
  const chat = { method: "POST", body: { text: "first" } };
  await (await client.events(`/workspaces/${workspace.id}/chat`, chat)).all();
  return workspace.id;
}

function addEntries(path: string, workspaceId: number): void {
  using db = new Database(path);
  const insert = db.prepare(
    `INSERT INTO entries (workspace_id, turn_id, run_id, agent_id, thread, kind, text, created_at)
     SELECT workspace_id, turn_id, run_id, agent_id, 0, ?, ?, created_at FROM entries WHERE workspace_id = ? LIMIT 1`,
  );
  db.transaction(() => {
    for (let index = 0; index < ENTRIES; index++)
      insert.run(index % 2 === 0 ? "person" : "agent", `${index}: ${TEXT}`, workspaceId);
  })();
}
