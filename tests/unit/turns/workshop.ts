// The turn engine with everything real but the model and the tools: those are functions of the test. No HTTP; for what no route can show,
// such as effects outside the database and a storage that fails.

import { Background } from "../../../src/kit/background.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { openDatabase, type Db } from "../../../src/kit/db.ts";
import { createLog } from "../../../src/kit/log.ts";
import { migrate } from "../../../src/kit/migrate.ts";
import { ConversationStore } from "../../../src/service/conversation/store.ts";
import { SentPrompts } from "../../../src/service/conversation/records.ts";
import { Journal } from "../../../src/service/journal/journal.ts";
import { resumedEnds } from "../../../src/service/turns/events.ts";
import {
  NO_USAGE,
  type CallModel,
  type ModelAnswer,
  type ModelRequest,
} from "../../../src/service/llm/model.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { loadConfig } from "../../../src/service/config/config.ts";
import { buildParts } from "../../../src/service/parts.ts";
import type { Caller } from "../../../src/service/identity/caller.ts";
import { ToolRegistry } from "../../../src/service/tools/registry.ts";
import type { ToolSource } from "../../../src/service/tools/tool.ts";
import { Engine } from "../../../src/service/turns/engine.ts";
import { Openings } from "../../../src/service/turns/openings.ts";
import { Recorder } from "../../../src/service/turns/recorder.ts";
import { Standing } from "../../../src/service/turns/standing.ts";
import { TurnStore } from "../../../src/service/turns/store.ts";
import { Turns } from "../../../src/service/turns/turns.ts";

export interface Workshop {
  readonly db: Db;
  readonly turns: Turns;
  readonly caller: Caller;
  readonly workspaceId: number;
  readonly requests: ModelRequest[];
  readonly log: string[];
  /** Texts of the conversation with the orchestrator: kind and words. */
  conversation(): string[];
  /** Stored events of a type, in order, as they were stored. */
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
  const parts = setUp(path, log);
  const turns = buildTurns(
    parts,
    new ToolRegistry([tools]),
    async (_endpoint, request, _listener, signal) => {
      requests.push(request);
      const answer = await answers(request, signal);
      return { text: "", reasoning: "", calls: [], dropped: [], finish: "stop", usage: NO_USAGE, ...answer };
    },
  );
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
        .map((entry) => `${entry.kind}: ${entry.text}`),
    events: (type) =>
      parts.db
        .query<{ content: string }>("SELECT content FROM events WHERE type = ? ORDER BY id")
        .all(type)
        .map(({ content }) => (JSON.parse(content) as { data: Record<string, unknown> }).data),
    settled: async () => void (await parts.background.settle(5_000)),
  };
}

function setUp(path: string, log: string[]) {
  const db = openDatabase(path);
  migrate(db, migrations, systemClock.now());
  const lines = createLog({
    level: "debug",
    format: "json",
    clock: systemClock,
    write: (line) => void log.push(line),
  });
  const background = new Background(lines);
  return {
    ...buildParts({
      db,
      clock: systemClock,
      log: lines,
      ownListener: () => undefined,
      config: loadConfig({}, {}),
      environment: {},
    }),
    background,
    lines,
  };
}

function buildTurns(parts: ReturnType<typeof setUp>, registry: ToolRegistry, callModel: CallModel): Turns {
  const {
    db,
    lines: log,
    conversation,
    blueprint,
    access,
    authentication,
    usages,
    models,
    background,
  } = parts;
  const clock = systemClock;
  const journal = new Journal({ db, clock, log, superseded: resumedEnds });
  const store = new TurnStore(db);
  const prompts = new SentPrompts(new ConversationStore(db));
  const recorder = new Recorder({ db, turns: store, prompts, conversation, journal, usages, clock });
  const engine = new Engine({
    recorder,
    callModel,
    registry,
    models,
    blueprint,
    usages,
    clock,
    log,
    instructionsFor: () => [],
    say: () => {},
  });
  const openings = new Openings({ store, conversation, blueprint, journal, clock });
  const standing = new Standing({ store, authentication, access });
  return new Turns({
    db,
    store,
    openings,
    engine,
    blueprint,
    access,
    standing,
    background,
    clock,
    log,
  });
}

/** A person, a model, a workspace; those of before when the database has them. */
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
  const [known] = parts.workspaces.list(caller);
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
