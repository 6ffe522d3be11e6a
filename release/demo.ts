// `npm run demo`: installs, builds, and runs the main job with the compiled program over real HTTP: catalogue, workspace, chat; the
// orchestrator creates two workers, wires them, delegates to both at once, and answers. Then it forges a gear, which is refused, tried, approved and
// used. The model is a scripted one in a process of its own that speaks a provider's protocol; the service does not know. Then a worker writes to
// memory and another one reads it (demo-memory.ts). Last, two laptops share a space and resolve a conflict (demo-sync.ts). On a terminal it then stays
// up, otherwise it exits 0.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demonstrateLocalMemory, demonstrateServerMemory } from "./demo-memory.ts";
import { program, start } from "./demo-programs.ts";
import { createDemoWorkspace, request, talk } from "./demo-service.ts";
import { demonstrateSync } from "./demo-sync.ts";
import { installDependencies } from "./install.ts";
import { bun, seconds } from "./step.ts";

const DOCKER_DEADLINE_MS = 60_000;
const QUESTION = "Which of our two databases should hold the event log? Have two people look at it.";

const terminal = process.stdout.isTTY === true;

function say(text = ""): void {
  process.stdout.write(`${text}\n`);
}

async function mainJob(url: string, modelUrl: string): Promise<number> {
  say("1. catalogue: one provider, two models");
  say("2. a workspace with its orchestrator; there is no memory yet");
  const workspaceId = await createDemoWorkspace(url, modelUrl);
  await converse(url, workspaceId, "3. a person says", QUESTION);
  return workspaceId;
}

function converse(url: string, workspaceId: number, heading: string, text: string): Promise<void> {
  process.stdout.write(`${heading}: `);
  return talk(url, workspaceId, text);
}

const COUNT = "Please count the words of this sentence with a gear.";

/** A gear from forge to approved call: pending, refused, tried dry, approved by its hash, called by the agent. */
async function gear(url: string, workspaceId: number): Promise<void> {
  await converse(url, workspaceId, "8. a person says", COUNT);
  const forged = (await request<{ id: number; name: string; status: string }[]>(url, "/gears")).find(
    (one) => one.name === "count_words",
  );
  if (!forged) throw new Error("the gear was not forged");
  const refusal = await fetch(`${url}/api/v1/gears/${forged.id}/run`, post({ args: { text: "a b" } }));
  if (refusal.ok) throw new Error("a gear that nobody approved was run");
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
  if (!approval.ok) throw new Error(`the approval failed: ${await approval.text()}`);
  say(`11. approved: exactly the bytes with hash ${hash.slice(0, 16)}…\n`);
  await converse(url, workspaceId, "12. the person says again", COUNT);
}

function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

async function lookBack(url: string, workspaceId: number): Promise<void> {
  const [turn] = await request<{ id: number; status: string }[]>(url, `/workspaces/${workspaceId}/turns`);
  if (turn?.status !== "done") throw new Error(`the turn is ${turn?.status ?? "missing"}`);
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
      `   ${row.agent}: ${row.input_tokens} in, ${row.output_tokens} out, calls: ${row.calls}, ${Math.round((row.share ?? 0) * 100)} % of the workspace`,
    );
  }
  say(`7. audit: ${audit.entries} decisions, the chain is ${audit.ok ? "intact" : "BROKEN"}`);
  if (blueprint.agents.length < 2 || blueprint.wires.length < 1 || !audit.ok)
    throw new Error("the main job did not come to its end");
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
    why: `as plain processes, not isolated: the container image ${image} is not available here`,
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
const folder = await mkdtemp(join(tmpdir(), "cairn-demo-"));
let done = false;
try {
  await using model = await start(bun("tests/kit/model/main.ts", "--key", "demo-key"), "stdout");
  const listen = terminal ? "127.0.0.1:8688" : "127.0.0.1:0";
  const sandbox = await sandboxMode();
  const data = join(folder, "data");
  // Memory would otherwise be this person's own space. This one does not exist yet.
  const space = join(folder, "space");
  const config = { sandbox: sandbox.mode, memory: { space } };
  await mkdir(data);
  await Bun.write(join(data, "config.yaml"), Bun.YAML.stringify(config, null, 2));
  const serve = [program("service"), "serve", "--data", data, "--listen", listen];
  await using service = await start(serve, "stderr");
  const { url } = service;
  say(`\nCairn: ${serve[0]} serve → ${url}, scripted model → ${model.url}`);
  say(`Gears run ${sandbox.why}.\n`);
  const workspaceId = await mainJob(url, model.url);
  await lookBack(url, workspaceId);
  await gear(url, workspaceId);
  await demonstrateLocalMemory({ url, workspaceId, space, say }, folder);
  for (const step of ["memory", "sync"]) await mkdir(join(folder, step));
  await demonstrateServerMemory(model.url, join(folder, "memory"), say);
  await demonstrateSync(join(folder, "sync"), say);
  say(`\ndone in ${seconds(started)}`);
  done = true;
  if (terminal) await stayUp(url);
} catch (error) {
  console.error(error instanceof Error ? `Error: ${error.message}` : error);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(done ? 0 : 1);
