// The turn engine with everything real except the model and the tools, which are functions of the test. Without HTTP, for tests that no route
// allows, such as effects outside the database and storage failures.

import { systemClock } from "../../../src/kit/clock.ts";
import { openDatabase, type Db } from "../../../src/kit/storage/db.ts";
import { createLog } from "../../../src/kit/log.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import {
  NO_USAGE,
  type CallModel,
  type ModelAnswer,
  type ModelRequest,
} from "../../../src/service/llm/model.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import type { Caller } from "../../../src/service/identity/caller.ts";
import type { ToolSource } from "../../../src/service/tools/tool.ts";
import type { Turns } from "../../../src/service/turns/turns.ts";
import { testParts } from "../../kit/service/parts.ts";

export interface Workshop {
  readonly db: Db;
  readonly turns: Turns;
  readonly caller: Caller;
  readonly workspaceId: number;
  readonly requests: ModelRequest[];
  readonly log: string[];
  /** The conversation with the orchestrator as `kind: text`. */
  conversation(): string[];
  /** The stored events of a type, in order. */
  events(type: string): Record<string, unknown>[];
  settled(): Promise<void>;
}

export type Answers = (request: ModelRequest, signal: AbortSignal) => Promise<Partial<ModelAnswer>>;

export async function workshop(
  answers: Answers,
  tools: ToolSource = () => [],
  path = ":memory:",
): Promise<Workshop> {
  const log: string[] = [];
  const requests: ModelRequest[] = [];
  const callModel: CallModel = async (_endpoint, request, _listener, signal) => {
    requests.push(request);
    const answer = await answers(request, signal);
    return {
      text: "",
      reasoning: "",
      thoughts: [],
      calls: [],
      dropped: [],
      finish: "stop",
      usage: NO_USAGE,
      ...answer,
    };
  };
  const parts = setUp(path, log, callModel, tools);
  const { turns } = parts;
  turns.reconcile();
  const { caller, workspaceId } = await furnish(parts);
  return {
    db: parts.db,
    turns,
    caller,
    workspaceId,
    requests,
    log,
    conversation: () =>
      parts.conversation
        .list(caller, workspaceId, { limit: 500 })
        .flatMap((entries) => entries)
        .toArray()
        .map((entry) => `${entry.kind}: ${entry.text}`),
    events: (type) =>
      parts.db
        .query<{ content: string }, [string]>("SELECT content FROM events WHERE type = ? ORDER BY id")
        .all(type)
        .map(({ content }) => (JSON.parse(content) as { data: Record<string, unknown> }).data),
    settled: async () => void (await parts.background.settle(5_000)),
  };
}

function setUp(path: string, log: string[], callModel: CallModel, tools: ToolSource) {
  const db = openDatabase(path);
  migrate(db, migrations, systemClock.now());
  const lines = createLog({
    level: "debug",
    format: "json",
    clock: systemClock,
    write: (line) => void log.push(line),
  });
  return testParts(db, { log: lines, callModel, tools: [tools] });
}

/** Creates a person, a model and a workspace, or reuses those in the database. */
async function furnish(parts: ReturnType<typeof setUp>): Promise<{ caller: Caller; workspaceId: number }> {
  parts.users.seedAdmin(undefined);
  const caller: Caller = {
    userId: 1,
    name: "admin",
    role: "admin",
    auth: "loopback",
    tokenId: null,
    requestId: "test",
    address: () => "",
  };
  const [known] = parts.workspaces.list(caller, "others");
  if (known) return { caller, workspaceId: known.id };
  const provider = await parts.providers.create(caller, {
    name: "p",
    type: "anthropic",
    api_key: "k",
    base_url: "http://127.0.0.1:9",
  });
  const model = await parts.models.create(caller, { provider_id: provider.id, model_name: "m", label: "m" });
  const workspace = await parts.workspaces.create(caller, { name: "lab", orchestrator_model_id: model.id });
  return { caller, workspaceId: workspace.id };
}
