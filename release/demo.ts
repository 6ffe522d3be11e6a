// `npm run demo`: installs, builds, and runs the main job with the compiled program over real HTTP: catalogue, workspace, chat; the
// orchestrator creates two workers, wires them, delegates to both at once, and answers. Then it forges a gear, which is refused, tried, approved and
// used. The model is a scripted one in a process of its own that speaks a provider's protocol; the service does not know. Last, two laptops share a
// space and resolve a conflict (demo-sync.ts). On a terminal it then stays up, otherwise it exits 0.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demonstrateSync } from "./demo-sync.ts";
import { installDependencies } from "./install.ts";
import { ROOT, bun, fail, seconds } from "./step.ts";
import { nativeExtension } from "./targets.ts";

const START_DEADLINE_MS = 15_000;
const DOCKER_DEADLINE_MS = 60_000;
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
  await talk(url, workspace.id, `3. a person says`, QUESTION);
  return workspace.id;
}

/** One turn, shown as it comes. */
async function talk(url: string, workspaceId: number, heading: string, text: string): Promise<void> {
  say(`${heading}: ${text}\n`);
  const orchestrator = (await request<{ id: number }[]>(url, `/workspaces/${workspaceId}/agents`))[0]!;
  const names = new Map<unknown, string>([[orchestrator.id, "orchestrator"]]);
  let streaming = false;
  for await (const { type, data } of events(url, `/workspaces/${workspaceId}/chat`, { text })) {
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
}

const COUNT = "Please count the words of this sentence with a gear.";

/** A gear from forge to approved call: pending, refused, tried dry, approved by its hash, called by the agent. */
async function gear(url: string, workspaceId: number): Promise<void> {
  await talk(url, workspaceId, "8. a person says", COUNT);
  const forged = (await request<{ id: number; name: string; status: string }[]>(url, "/gears")).find(
    (one) => one.name === "count_words",
  );
  if (!forged) return fail("the gear was not forged");
  const refusal = await fetch(`${url}/api/v1/gears/${forged.id}/run`, post({ args: { text: "a b" } }));
  if (refusal.ok) fail("a gear that nobody approved was run");
  say(
    `9. the gear is ${forged.status}; a run is refused: ${((await refusal.json()) as { error: { message: string } }).error.message}`,
  );
  const dry = await request<{ stdout: string; exit_code: number; isolated: boolean }>(
    url,
    `/gears/${forged.id}/run?dry=1`,
    { args: { text: "one two three" } },
  );
  say(
    `10. a dry run of {"text":"one two three"}: ${dry.stdout.trim()}, exit code ${dry.exit_code}, ${dry.isolated ? "in a container" : "not isolated"}`,
  );
  const { content_hash: hash } = await request<{ content_hash: string }>(url, `/gears/${forged.id}`);
  const approval = await fetch(`${url}/api/v1/gears/${forged.id}`, {
    ...post({ status: "approved", content_hash: hash }),
    method: "PATCH",
  });
  if (!approval.ok) fail(`the approval failed: ${await approval.text()}`);
  say(`11. approved: exactly the bytes with hash ${hash.slice(0, 16)}…\n`);
  await talk(url, workspaceId, "12. the person says again", COUNT);
}

function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
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

/** Containers when a daemon answers and has, or can get, the image for the demo's gear; otherwise a plain process, and why. */
async function sandboxMode(): Promise<{ mode: "docker" | "subprocess"; why: string }> {
  const docker = async (...args: string[]) => {
    try {
      const child = Bun.spawn(["docker", ...args], {
        stdio: ["ignore", "ignore", "ignore"],
        timeout: DOCKER_DEADLINE_MS,
      });
      return (await child.exited) === 0;
    } catch {
      return false;
    }
  };
  if (!(await docker("version", "--format", "{{.Server.Version}}")))
    return { mode: "subprocess", why: "as plain processes, not isolated: no container daemon answers here" };
  const image = DEFAULT_IMAGES.node;
  if ((await docker("image", "inspect", image)) || (await docker("pull", "--quiet", image)))
    return { mode: "docker", why: "in containers" };
  return {
    mode: "subprocess",
    why: `as plain processes, not isolated: the container image ${image} can't be had here`,
  };
}

async function stayUp(url: string): Promise<void> {
  say(`\nThe service is up at ${url} (API under ${url}/api/v1). Press Ctrl+C to stop it.`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  });
}

await installDependencies();
const { buildNative } = await import("./build.ts");
const { DEFAULT_IMAGES } = await import("../src/service/sandbox/images.ts");
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
  const sandbox = await sandboxMode();
  // Memory would otherwise be this person's own space.
  const memory = `memory: { space: ${JSON.stringify(join(data, "space"))} }\n`;
  await Bun.write(join(data, "config.yaml"), `sandbox: ${sandbox.mode}\n${memory}`);
  const service = await start(
    [program, "serve", "--data", data, "--listen", listen],
    "stderr",
    /http:\/\/127\.0\.0\.1:[1-9]\d*/,
  );
  say(`\nCairn: ${program} serve → ${service.url}, scripted model → ${model.url}`);
  say(`Gears run ${sandbox.why}.\n`);
  const workspaceId = await mainJob(service.url, model.url);
  await lookBack(service.url, workspaceId);
  await gear(service.url, workspaceId);
  await mkdir(join(data, "sync"));
  await demonstrateSync(join(data, "sync"), say);
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
