// The worst that a caller can ask of each route of the service that takes text or grows with data, on a service that is furnished with
// much. A new route needs a row here, or a reason why its input and its answer are small (tests/house/worst-cases.test.ts).

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createClient, type Client } from "../../kit/client.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { addTurns } from "../../kit/long-conversation.ts";
import { measuredServer, type MeasuredServer } from "../../kit/measured-server.ts";
import { say, startModel } from "../../kit/model/index.ts";
import { testService } from "../../kit/service.ts";

export type ServiceCase = (service: FurnishedService) => Promise<void>;

export interface FurnishedService extends AsyncDisposable {
  readonly measured: MeasuredServer;
  readonly admin: Client;
  readonly workspaceId: number;
  readonly agentId: number;
  readonly turnId: number;
  readonly modelId: number;
  /** Of the last entries, and of one that has all but the last. */
  readonly calls: readonly [number, number];
}

const TURNS = 5_000;
const CALLS = 20_000;
const CHAT_CHARACTERS_MAX = 400_000;
const INSTRUCTION_CHARACTERS_MAX = 100_000;
const FILE_BYTES = 2 * 1024 * 1024;
const NAME_CHARACTERS = 8;

let attempts = 0;
const newName = () => `${"name".slice(0, NAME_CHARACTERS)} ${(attempts += 1)}`;

type Path = (service: FurnishedService) => string;
type Body = (service: FurnishedService) => unknown;

const asks =
  (method: string, path: Path, status: number, body?: Body): ServiceCase =>
  async (service) => {
    const answer = await service.admin.raw(
      method,
      path(service),
      body ? { body: body(service) as never } : {},
    );
    const text = await answer.text();
    if (answer.status !== status)
      throw new Error(`${method} ${path(service)}: ${answer.status}, not ${status}: ${text.slice(0, 200)}`);
  };
const get = (path: Path): ServiceCase => asks("GET", path, 200);
const own =
  (rest: string): Path =>
  ({ workspaceId }) =>
    `/workspaces/${workspaceId}${rest}`;

/** As large as it may be, and slow to check: many names that are looked for in what is checked. */
const largeSchema = JSON.stringify({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 1_500 }, (_, index) => [`p${index}`, { type: "string", maxLength: index }]),
  ),
});
const gear = (fields: object) => ({
  name: `gear_${(attempts += 1)}`,
  description: "A gear.",
  runtime: "python",
  entry: "main.py",
  files: [{ path: "main.py", content: "print(1)" }],
  ...fields,
});

export const SERVICE_ROWS: Readonly<Record<string, Readonly<Record<string, ServiceCase>>>> = {
  "GET /workspaces/:id/entries": { "the newest of many": get(own("/entries?limit=50")) },
  "GET /workspaces/:id/turns": { "the newest of many": get(own("/turns?limit=50")) },
  "GET /agents/:id/prompt": { "a long conversation": get(({ agentId }) => `/agents/${agentId}/prompt`) },
  "GET /calls/:id": { "a long conversation": get(({ calls }) => `/calls/${calls[0]}`) },
  "GET /calls/:id/diff": {
    "two long conversations that share their beginning": get(
      ({ calls }) => `/calls/${calls[1]}/diff?to=${calls[0]}`,
    ),
    "two of which one lacks the first entry": get(
      ({ calls }) => `/calls/${calls[0]}/diff?to=${calls[0] + 1}`,
    ),
  },
  "GET /turns/:id/calls": { "of a turn": get(({ turnId }) => `/turns/${turnId}/calls`) },
  "GET /turns/:id/steps": { "of a turn": get(({ turnId }) => `/turns/${turnId}/steps`) },
  "GET /workspaces/:id/usage": { "of many calls": get(own("/usage")) },
  "GET /workspaces/:id/blueprint": {
    "as it is": get(own("/blueprint")),
    "as it was": get((service) => own(`/blueprint?at=${service.turnId}`)(service)),
  },
  "POST /workspaces/:id/chat": {
    "one word as long as a message may be": asks("POST", own("/chat"), 202, () => ({
      text: "a".repeat(CHAT_CHARACTERS_MAX),
      queue: true,
    })),
  },
  "POST /instructions": {
    "as long as it may be": asks(
      "POST",
      () => "/instructions",
      201,
      () => ({
        name: newName(),
        text: "*_`[".repeat(INSTRUCTION_CHARACTERS_MAX / 4),
      }),
    ),
  },
  "POST /gears": {
    "a large schema of arguments": asks(
      "POST",
      () => "/gears",
      201,
      () => gear({ args_schema: largeSchema }),
    ),
    "much code": asks(
      "POST",
      () => "/gears",
      201,
      () => gear({ files: [{ path: "main.py", content: "#\n".repeat(FILE_BYTES / 2) }] }),
    ),
  },
  "PUT /workspaces/:id/file": {
    "as large as it may be": asks("PUT", own("/file?path=large.txt"), 200, () =>
      "x\n".repeat(FILE_BYTES / 2 - 1),
    ),
  },
  "GET /audit": {
    "the newest": get(() => "/audit?limit=50"),
    "what nobody did": get(() => "/audit?action=never.done"),
  },
  "GET /audit/verify": { "of a long record": get(() => "/audit/verify") },
  "GET /openapi.json": { "all of it": get(() => "/openapi.json") },
};

/** Their input is bounded by a small schema, and what they touch and answer by a limit of its own. */
export const SERVICE_BOUNDED: Readonly<Record<string, string>> = {};

export async function furnishedService(): Promise<FurnishedService> {
  const folder = await temporaryFolder();
  const model = await startModel({});
  model.on("m", () => say("ok"));
  const furnished = await furnish(folder.path, model.openaiUrl);
  const measured = await measuredServer("service", folder.path);
  return {
    ...furnished,
    measured,
    admin: createClient(measured.url),
    async [Symbol.asyncDispose]() {
      await measured[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function furnish(data: string, modelUrl: string) {
  const lab = await testService({ data });
  const { admin } = lab;
  const provider = await admin.post<{ id: number }>("/providers", {
    name: "p",
    type: "openai-compatible",
    base_url: modelUrl,
    api_key: "k",
  });
  const { id: modelId } = await admin.post<{ id: number }>("/models", {
    provider_id: provider.id,
    model_name: "m",
  });
  const { id: workspaceId } = await admin.post<{ id: number }>("/workspaces", {
    name: "w",
    orchestrator_model_id: modelId,
  });
  await (
    await admin.events(`/workspaces/${workspaceId}/chat`, { method: "POST", body: { text: "first" } })
  ).all();
  const [agent] = await admin.get<{ id: number }[]>(`/workspaces/${workspaceId}/agents`);
  const [turn] = await admin.get<{ id: number }[]>(`/workspaces/${workspaceId}/turns`);
  await lab.service.stop("furnished");
  const calls = addMuch(join(data, "service.db"), workspaceId);
  return { workspaceId, agentId: agent!.id, turnId: turn!.id, modelId, calls };
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
  db.run("COMMIT");
  return [whole, before];
}
