// `npm run demo`: installs, builds, and runs the main job with the compiled program over real HTTP: catalogue, workspace, chat; the
// orchestrator creates two workers, wires them, delegates to both at once, and answers. The model is a scripted one in a process of its own
// that speaks a provider's protocol; the service does not know. On a terminal it then stays up, otherwise it exits 0.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installDependencies } from "./install.ts";
import { ROOT, bun, fail, seconds } from "./step.ts";
import { nativeExtension } from "./targets.ts";

const START_DEADLINE_MS = 15_000;
const QUESTION = "Which of our two databases should hold the event log? Have two people look at it.";

interface Child {
  readonly process: Bun.Subprocess<"ignore", "pipe" | "inherit", "pipe" | "inherit">;
  readonly url: string;
}

interface StreamEvent {
  readonly type: string;
  readonly data: Record<string, unknown> & {
    entry?: { kind: string };
    tool?: string;
    arguments?: string;
    outcome?: string;
    text?: string;
  };
}

const terminal = process.stdout.isTTY === true;
const children: Bun.Subprocess[] = [];

function say(text = ""): void {
  process.stdout.write(`${text}\n`);
}

/** Starts a program and waits until it has said where it listens. */
async function start(command: string[], from: "stdout" | "stderr", address: RegExp): Promise<Child> {
  const child = Bun.spawn(command, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const overdue = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  const found = Promise.withResolvers<string | undefined>();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      const url = address.exec(output)?.[0];
      if (url !== undefined) found.resolve(url);
    }
    found.resolve(undefined);
  };
  void read(from === "stdout" ? child.stdout : child.stderr);
  const url = await found.promise;
  clearTimeout(overdue);
  return url === undefined ? fail(`${command[0]} did not start:\n${output}`) : { process: child, url };
}

async function request<T>(url: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    ...(body === undefined
      ? {}
      : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) fail(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

async function* events(url: string, path: string, body: unknown): AsyncGenerator<StreamEvent> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(body),
  });
  if (!response.ok || !response.body) fail(`${path}: ${response.status} ${await response.text()}`);
  let buffer = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    buffer += decoder.decode(chunk, { stream: true });
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop()!;
    for (const block of blocks) {
      const type = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (type && data) yield { type, data: (JSON.parse(data) as { data: StreamEvent["data"] }).data };
    }
  }
}

async function mainJob(url: string, modelUrl: string): Promise<number> {
  say("1. catalogue: one provider, two models");
  const provider = await request<{ id: number }>(url, "/providers", {
    name: "scripted",
    type: "openai-compatible",
    base_url: `${modelUrl}/v1`,
    api_key: "demo-key",
  });
  const modelOf = (name: string) =>
    request<{ id: number }>(url, "/models", { provider_id: provider.id, model_name: name });
  const boss = await modelOf("demo-orchestrator");
  await modelOf("demo-worker");
  say("2. a workspace, with its orchestrator");
  const workspace = await request<{ id: number }>(url, "/workspaces", {
    name: "demo",
    orchestrator_model_id: boss.id,
  });
  say(`3. a person says: ${QUESTION}\n`);
  const orchestrator = (await request<{ id: number }[]>(url, `/workspaces/${workspace.id}/agents`))[0]!;
  const names = new Map<unknown, string>([[orchestrator.id, "orchestrator"]]);
  let streaming = false;
  for await (const { type, data } of events(url, `/workspaces/${workspace.id}/chat`, { text: QUESTION })) {
    if (type === "agent.created")
      names.set((data["agent"] as { id: number }).id, (data["agent"] as { name: string }).name);
    const speaker = names.get(data["agent_id"]) ?? "?";
    if (type === "delta" && data["agent_id"] === orchestrator.id) {
      process.stdout.write(`${streaming ? "" : "   orchestrator: "}${data.text}`.replaceAll("\n", "\n   "));
      streaming = true;
      continue;
    }
    if (type === "delta") continue;
    if (streaming) say();
    streaming = false;
    if (type === "tool.call") say(`   ${speaker} → ${data.tool} ${data.arguments}`);
    if (type === "tool.result") say(`   ${speaker} ← ${data.tool}: ${data.outcome}: ${data.text}`);
    if (type === "wire.created") say("   a wire appears: the permission to delegate");
    if (type === "turn.finished") say(`   turn ${(data["turn"] as { status: string }).status}\n`);
  }
  return workspace.id;
}

async function lookBack(url: string, workspaceId: number): Promise<void> {
  const [turn] = await request<{ id: number; status: string }[]>(url, `/workspaces/${workspaceId}/turns`);
  if (turn?.status !== "done") fail(`the turn is ${turn?.status ?? "missing"}`);
  const blueprint = await request<{ agents: unknown[]; wires: unknown[] }>(
    url,
    `/workspaces/${workspaceId}/blueprint`,
  );
  const calls = await request<{ id: number }[]>(url, `/turns/${turn.id}/calls`);
  const last = await request<{ parts: { source: string; tokens: number }[] }>(
    url,
    `/calls/${calls.at(-1)!.id}`,
  );
  const usage = await request<{
    agents: {
      agent: string;
      calls: number;
      input_tokens: number;
      output_tokens: number;
      share: number | null;
    }[];
  }>(url, `/workspaces/${workspaceId}/usage`);
  const audit = await request<{ ok: boolean; entries: number }>(url, "/audit/verify");
  say(`4. blueprint: ${blueprint.agents.length} agents, ${blueprint.wires.length} wires`);
  say(
    `5. the exact prompt of the last of ${calls.length} model calls: ${last.parts.map((part) => `${part.source} (${part.tokens})`).join(" · ")}`,
  );
  say("6. tokens, as the provider reported them:");
  for (const row of usage.agents) {
    say(
      `   ${row.agent}: ${row.calls} calls, ${row.input_tokens} in, ${row.output_tokens} out, ${Math.round((row.share ?? 0) * 100)} % of the workspace`,
    );
  }
  say(`7. audit: ${audit.entries} decisions, the chain ${audit.ok ? "holds" : "IS BROKEN"}`);
  if (blueprint.agents.length < 2 || blueprint.wires.length < 1 || !audit.ok)
    fail("the main job did not come to its end");
}

async function stayUp(url: string): Promise<void> {
  say(`\nThe service is up at ${url} (API under ${url}/api/v1). Press Ctrl+C to stop it.`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  });
}

await installDependencies();
const { buildNative } = await import("./build.ts");
await buildNative();
const started = performance.now();
const data = await mkdtemp(join(tmpdir(), "cairn-demo-"));
let done = false;
try {
  const model = await start(
    bun("tests/kit/model/main.ts", "--key", "demo-key"),
    "stdout",
    /http:\/\/127\.0\.0\.1:\d+/,
  );
  const program = join(ROOT, "dist", `service${nativeExtension}`);
  const listen = terminal ? "127.0.0.1:8688" : "127.0.0.1:0";
  const service = await start(
    [program, "serve", "--data", data, "--listen", listen],
    "stderr",
    /http:\/\/127\.0\.0\.1:[1-9]\d*/,
  );
  say(`\nCairn: ${program} serve → ${service.url}, scripted model → ${model.url}\n`);
  const workspaceId = await mainJob(service.url, model.url);
  await lookBack(service.url, workspaceId);
  say(`\ndone in ${seconds(started)}`);
  done = true;
  if (terminal) await stayUp(service.url);
} finally {
  for (const child of children.toReversed()) {
    child.kill("SIGTERM");
    await child.exited;
  }
  await rm(data, { recursive: true, force: true });
}
process.exit(done ? 0 : 1);
