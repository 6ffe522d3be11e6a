// The acts of `npm run demo` on a service as a person: requests of its API, and turns that are shown as they come.

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

/** Writes text as it is, without a line break. */
type Write = (text: string) => void;

/** GET without a body, POST with one. Raises if it is refused. */
export async function request<T>(url: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    ...(body === undefined
      ? {}
      : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

async function* events(url: string, path: string, body: unknown): AsyncGenerator<StreamEvent> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(body),
  });
  if (!response.ok || !response.body) throw new Error(`${path}: ${response.status} ${await response.text()}`);
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

/** Fills the catalogue with the scripted model, and creates a workspace. Returns its id. */
export async function createDemoWorkspace(url: string, modelUrl: string): Promise<number> {
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
  const body = { name: "demo", orchestrator_model_id: boss.id };
  return (await request<{ id: number }>(url, "/workspaces", body)).id;
}

/** One turn, shown as it comes. */
export async function talk(
  url: string,
  workspaceId: number,
  text: string,
  write: Write = (shown) => process.stdout.write(shown),
): Promise<void> {
  const say = (line = "") => write(`${line}\n`);
  say(`${text}\n`);
  const agents = await request<{ id: number; name: string }[]>(url, `/workspaces/${workspaceId}/agents`);
  const names = new Map<unknown, string>(agents.map(({ id, name }) => [id, name]));
  let streaming = false;
  for await (const { type, data } of events(url, `/workspaces/${workspaceId}/chat`, { text })) {
    if (type === "agent.created")
      names.set((data["agent"] as { id: number }).id, (data["agent"] as { name: string }).name);
    const speaker = names.get(data["agent_id"]) ?? "?";
    if (type === "delta" && speaker === "orchestrator") {
      write(`${streaming ? "" : "   orchestrator: "}${data.text}`.replaceAll("\n", "\n   "));
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
