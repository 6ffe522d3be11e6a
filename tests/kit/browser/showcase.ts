// A service as it looks on a busy day: the compiled program with a scripted model, a release desk with four agents, a turn that delegates
// and waits for a person, a gear in its third version, instructions, files, budgets, people, teams and an audit. For pictures and tests of
// the interface; nothing here asserts anything.

import { createClient, type Client } from "../http/client.ts";
import { until } from "../eventually.ts";
import { temporaryFolder } from "../folder.ts";
import { call, type Reply, say, startModel } from "../model/index.ts";
import { type RunningService, runService } from "../service/running.ts";
import * as texts from "./showcase-texts.ts";
import { canStandIn, standInDocker } from "../service/stand-in-docker.ts";

/** Containers are stood in for by a shell script. */
export const canShow = canStandIn;

type Agents = Readonly<Record<keyof typeof texts.ROLES, number>>;

export interface Showcase extends AsyncDisposable {
  readonly service: RunningService;
  readonly url: string;
  readonly admin: Client;
  /** Of a team-lead, and of a member. */
  readonly tokens: { readonly lead: string; readonly member: string };
  readonly workspaceId: number;
  readonly agents: Agents;
  /** The one that waits for a person. */
  readonly turnId: number;
  /** Version 3 waits, version 2 was approved. */
  readonly gearId: number;
  readonly instructionId: number;
}

const CONFIG = "egress: true\negress_key: showcase-search-key\nsandbox: docker\nterminal: true\n";
/** Words a second, so that durations in pictures look like durations. */
const PACE = { everyMs: 4 };

export async function showcase(): Promise<Showcase> {
  const stack = new AsyncDisposableStack();
  try {
    const folder = stack.use(await temporaryFolder());
    await folder.write("data/config.yaml", CONFIG);
    const environment = await standInDocker(folder);
    const model = stack.use(await startModel());
    const service = stack.use(await runService({ data: `${folder.path}/data`, environment }));
    const { admin } = service;
    const models = await catalogue(admin, model.anthropicUrl, model.openaiUrl);
    const people = await population(admin);
    const workspace = await admin.post("/workspaces", {
      name: "Release desk",
      description: "Notes, checks and announcements of each release",
      orchestrator_model_id: models.orchestrator,
    });
    const agents = await team(admin, workspace.id, models);
    await otherWorkspaces(admin, people, models.orchestrator);
    await admin.put(`/workspaces/${workspace.id}/teams/${people.releaseTeam}`);
    const instructionId = await library(admin, workspace.id, agents);
    await files(admin, workspace.id);
    const talk = (text: string) => converse(admin, workspace.id, text);

    model.script("claude-sonnet-4-5", [
      say(texts.DESK_ANSWER, { ...PACE, usage: { input: 1_912, output: 204 } }),
      [say("scribe can do that.", PACE), call("delegate", { agent: "scribe", task: FORGE_TASK })],
      say(
        "**scribe** has forged `changelog_draft`. It waits for your approval; until then it does not run.",
        PACE,
      ),
      delegateBoth(),
    ]);
    model.script("claude-haiku-4-5", [
      [call("gear_forge", { ...texts.GEAR, code: texts.GEAR_FIRST })],
      say("Done: `changelog_draft` reads the list and prints a line for each change.", PACE),
      [
        say("I draw the lines from the list first.", PACE),
        call("changelog_draft", { from: "2.3.0", to: "2.4.0", file: "changes.json" }),
      ],
      [
        call("file_write", { path: "drafts/2.4.0.md", content: texts.DRAFT }),
        call("gear_forge", { ...texts.GEAR, code: texts.GEAR_THIRD }),
        call("instruction_save", { name: "tone", text: texts.TONE_PROPOSED }),
      ],
      say(texts.SCRIBE_REPORT, { ...PACE, usage: { input: 3_214, output: 197, cached: 2_048 } }),
    ]);
    model.script("gpt-5-mini", [
      [
        say("I need to look outside for this.", PACE),
        call("web_search", { query: "default minimum TLS version nginx caddy envoy 2026" }),
      ],
      say("Nothing found yet.", PACE),
    ]);

    await talk("We ship 2.4 this week. Who sits at this desk, and what can they do?");
    await talk("Have scribe make a gear that turns the change list into lines for the notes.");
    const gearId = await gear(admin, workspace.id, agents);
    await admin.post(`/workspaces/${workspace.id}/egress`, { agent_id: agents.scout });
    const turnId = await waitingTurn(admin, workspace.id);
    return {
      service,
      url: service.url,
      admin,
      tokens: people.tokens,
      workspaceId: workspace.id,
      agents,
      turnId,
      gearId,
      instructionId,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const FORGE_TASK = "Forge a gear that turns changes.json into one line for each change.";

function delegateBoth(): Reply {
  return [
    say("I will have **scribe** draft from the change list while **scout** checks the default.", {
      ...PACE,
      usage: { input: 4_012, output: 96, cached: 1_912 },
    }),
    call("delegate", { agent: "scribe", task: "Draft notes for 2.4 from changes.json" }),
    call("delegate", { agent: "scout", task: "What do other servers default to for TLS 1.2?" }),
  ];
}

async function catalogue(admin: Client, anthropicUrl: string, openaiUrl: string): Promise<Agents> {
  const provider = (name: string, type: string, base_url: string) =>
    admin.post("/providers", { name, type, base_url, api_key: "showcase-key" });
  const anthropic = await provider("Anthropic", "anthropic", anthropicUrl);
  const openai = await provider("Gateway", "openai-compatible", openaiUrl);
  const model = async (provider_id: number, model_name: string, label: string, figures: object) =>
    (await admin.post("/models", { provider_id, model_name, label, ...figures })).id;
  return {
    orchestrator: await model(anthropic.id, "claude-sonnet-4-5", "claude-sonnet", {
      context_tokens: 200_000,
      input_price: 3,
      cached_input_price: 0.3,
      output_price: 15,
    }),
    scribe: await model(anthropic.id, "claude-haiku-4-5", "claude-haiku", {
      context_tokens: 200_000,
      input_price: 1,
      cached_input_price: 0.1,
      output_price: 5,
    }),
    scout: await model(openai.id, "gpt-5-mini", "gpt-5-mini", {
      context_tokens: 400_000,
      input_price: 0.25,
      cached_input_price: 0.025,
      output_price: 2,
    }),
    checker: await model(openai.id, "qwen3-32b", "", { context_tokens: 131_072 }),
  };
}

interface People {
  readonly tokens: { readonly lead: string; readonly member: string };
  readonly leadId: number;
  readonly releaseTeam: number;
}

async function population(admin: Client): Promise<People> {
  const person = (name: string, role: string) => admin.post("/users", { name, role });
  const mara = await person("Mara Lindqvist", "team-lead");
  const jonas = await person("Jonas Okafor", "member");
  const aiko = await person("Aiko Tanaka", "member");
  const noor = await person("نور الهاشمي", "member");
  const long = await person("Bartholomew Featherstonehaugh-Cholmondeley", "member");
  await admin.put(`/users/${mara.user.id}/password`, { password: "a long enough password" });
  const lead = await admin.post(`/users/${mara.user.id}/tokens`);
  await admin.delete(`/users/${long.user.id}/tokens`);
  const group = async (name: string, ...members: { user: { id: number } }[]) => {
    const { id } = await admin.post("/teams", { name });
    for (const { user } of members) await admin.put(`/teams/${id}/members/${user.id}`);
    return id;
  };
  const releaseTeam = await group("Release", mara, jonas);
  await group("Platform", aiko, noor, long);
  return { tokens: { lead: lead.token, member: jonas.token }, leadId: mara.user.id, releaseTeam };
}

/** Canvas units: the orchestrator above, whom it asks below, and checker below scribe, who asks it. */
const POSITIONS = {
  orchestrator: { x: 400, y: 0 },
  scribe: { x: 120, y: 190 },
  scout: { x: 680, y: 190 },
  checker: { x: 400, y: 400 },
} as const;

async function team(admin: Client, workspaceId: number, models: Agents): Promise<Agents> {
  const own = `/workspaces/${workspaceId}` as const;
  const [orchestrator] = await admin.get(`${own}/agents`);
  await admin.patch(`/agents/${orchestrator!.id}`, {
    role: texts.ROLES.orchestrator,
    position: POSITIONS.orchestrator,
  });
  const worker = async (name: "scribe" | "scout" | "checker", from: number) => {
    const agent = await admin.post(`${own}/agents`, {
      name,
      role: texts.ROLES[name],
      model_id: models[name],
      position: POSITIONS[name],
    });
    await admin.post(`${own}/wires`, { from_agent_id: from, to_agent_id: agent.id });
    return agent.id;
  };
  const scribe = await worker("scribe", orchestrator!.id);
  const scout = await worker("scout", orchestrator!.id);
  const checker = await worker("checker", scribe);
  await admin.patch(own, { budget: { cost_per_day: 2 } });
  await admin.patch(`/agents/${scribe}`, { budget: { cost_per_day: 0.5 } });
  return { orchestrator: orchestrator!.id, scribe, scout, checker };
}

async function otherWorkspaces(admin: Client, people: People, modelId: number): Promise<void> {
  const make = (name: string, description: string) =>
    admin.post("/workspaces", { name, description, orchestrator_model_id: modelId });
  await make("Docs triage", "Questions from readers, sorted");
  await make(
    "Migration of the customer archive from the old storage cluster to the new one, second half",
    "A name that is longer than its place",
  );
  await createClient(admin.url, people.tokens.lead).post("/workspaces", {
    name: "Incident review",
    description: "What happened, what we change",
    orchestrator_model_id: modelId,
  });
  await createClient(admin.url, people.tokens.member).get("/workspaces");
}

async function library(admin: Client, workspaceId: number, agents: Agents): Promise<number> {
  const add = (name: string, text: string) => admin.post("/instructions", { name, text });
  const tone = await add("tone", texts.TONE_FIRST);
  await admin.put(`/instructions/${tone.id}`, { text: texts.TONE_SECOND, expected_version: 1 });
  await admin.put(`/instructions/${tone.id}`, { text: texts.TONE_THIRD, expected_version: 2 });
  const facts = await add("facts only", texts.FACTS);
  await add("incident notes", "Times in UTC. First what people saw, then why, then what changes.\n");
  await add("لهجة", "اكتب جملا قصيرة وواضحة.\n");
  const bind = (instruction_id: number, agent_id: number | null) =>
    admin.post(`/workspaces/${workspaceId}/instructions`, { instruction_id, agent_id });
  await bind(facts.id, null);
  await bind(tone.id, agents.scribe);
  return tone.id;
}

async function files(admin: Client, workspaceId: number): Promise<void> {
  for (const [path, body] of Object.entries(texts.FILES)) {
    const url = `/workspaces/${workspaceId}/file?path=${encodeURIComponent(path)}`;
    await admin.raw("PUT", url, { body, headers: { "Content-Type": "text/plain" } });
  }
}

/** Approves what was forged, saves and approves the second version, and adds one gear of another kind. */
async function gear(admin: Client, workspaceId: number, agents: Agents): Promise<number> {
  const forged = (await admin.get("/gears")).find(({ name }) => name === texts.GEAR.name)!;
  const approve = async (id: number) => {
    const { content_hash } = await admin.get(`/gears/${id}`);
    await admin.patch(`/gears/${id}`, { status: "approved", content_hash });
  };
  await approve(forged.id);
  await admin.put(`/gears/${forged.id}`, { code: texts.GEAR_SECOND });
  await approve(forged.id);
  await admin.post(`/gears/${forged.id}/run`, {
    args: { from: "2.3.0", to: "2.4.0", file: "changes.json" },
    workspace_id: workspaceId,
    files: ["changes.json"],
  });
  const count = await admin.post("/gears", texts.COUNT_GEAR);
  await approve(count.id);
  await admin.post(`/workspaces/${workspaceId}/gears`, { gear_id: count.id, agent_id: agents.checker });
  const old = await admin.post("/gears", {
    ...texts.COUNT_GEAR,
    name: "word_total",
    description: "Replaced by count_words",
    tags: [],
  });
  await admin.patch(`/gears/${old.id}`, { status: "disabled" });
  return forged.id;
}

async function converse(admin: Client, workspaceId: number, text: string): Promise<void> {
  await using events = await admin.events(`/workspaces/${workspaceId}/chat`, {
    method: "POST",
    body: { text },
  });
  const over = (await events.all()).findLast(({ type }) => type === "turn.finished");
  const turn = over?.data.data.turn as { status: string; error: string | null } | undefined;
  if (turn?.status !== "done") throw new Error(`the showcase's turn is ${turn?.status}: ${turn?.error}`);
}

/** The turn of the pictures: scribe has answered, scout asks to search. */
async function waitingTurn(admin: Client, workspaceId: number): Promise<number> {
  const { turn } = await admin.post(`/workspaces/${workspaceId}/chat`, {
    text: "Draft the notes for 2.4 from the merged changes. Check whether the TLS default we changed is already the default elsewhere.",
  });
  await until(async () => {
    const now = await admin.get(`/turns/${turn.id}`);
    if (now.status === "failed") throw new Error(`the showcase's turn failed: ${now.error}`);
    const entries = await admin.get(`/workspaces/${workspaceId}/entries?limit=500`);
    const delegated = entries.filter(({ tool, outcome }) => tool === "delegate" && outcome === "ok").length;
    return now.status === "waiting" && delegated === DELEGATIONS_ANSWERED;
  });
  return turn.id;
}

/** Of the turn before, and scribe's in this one. */
const DELEGATIONS_ANSWERED = 2;
