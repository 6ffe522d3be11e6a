// Streaming: what the service adds to a chunk between provider and viewer, 200 turns at once, and what a chunk costs it.
// The same streams are first read straight from the model, so that what remains is the service's.

import { readStamps } from "../kit/model/index.ts";
import { benchModel, benchService, processorMs } from "./programs.ts";
import { percentile, type Row } from "./row.ts";
import { CHUNKS, EVERY_MS } from "./stream-script.ts";

const TURNS = 200;

export async function run(): Promise<Row[]> {
  await using model = await benchModel("stream-script.ts");
  const direct = await readAll(Array.from({ length: TURNS }, () => directStream(model.url)));
  await using service = await benchService();
  const { client } = service;
  const provider = await client.post<{ id: number }>("/providers", { name: "p", type: "openai-compatible", base_url: `${model.url}/v1`, api_key: "k" });
  const entry = await client.post<{ id: number }>("/models", { provider_id: provider.id, model_name: "m" });
  const ids: number[] = [];
  for (let index = 0; index < TURNS; index++) {
    ids.push((await client.post<{ id: number }>("/workspaces", { name: `w${index}`, orchestrator_model_id: entry.id })).id);
  }
  await readAll(ids.slice(0, 10).map((id) => chat(service.url, id)));
  const before = await processorMs(service.pid);
  const through = await readAll(ids.map((id) => chat(service.url, id)));
  const spentMs = (await processorMs(service.pid)) - before;
  const chunks = TURNS * CHUNKS;
  // A stamp that a packet's border cuts in two is not counted.
  if (through.length < chunks * 0.99) throw new Error(`${through.length} of ${chunks} chunks arrived`);
  const added = (share: number) => percentile(through, share) - percentile(direct, share);
  const perChunk = (spentMs * 1000) / chunks;
  const detail = `${TURNS} turns, a chunk every ${EVERY_MS} ms each`;
  return [
    { name: `added to a chunk, p50 (${detail})`, measured: added(0.5), unit: "ms", limit: percentile(direct, 0.5), target: "≤ 1 ms", met: added(0.5) <= 1 },
    { name: "added to a chunk, p99", measured: added(0.99), unit: "ms", limit: percentile(direct, 0.99), target: "≤ 1 ms", met: added(0.99) <= 1 },
    { name: "processor for a chunk, stored events included", measured: perChunk, unit: "µs", target: "≤ 30 µs", met: perChunk <= 30 },
  ];
}

function directStream(url: string): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer k" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "go" }] }),
  });
}

function chat(url: string, workspaceId: number): Promise<Response> {
  return fetch(`${url}/api/v1/workspaces/${workspaceId}/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ text: "go" }),
  });
}

/** Ages of all chunks on arrival, ms, ascending. */
async function readAll(responses: Promise<Response>[]): Promise<number[]> {
  const ages: number[] = [];
  await Promise.all(
    responses.map(async (pending) => {
      const response = await pending;
      const decoder = new TextDecoder();
      for await (const bytes of response.body!) {
        const now = performance.timeOrigin + performance.now();
        const text = decoder.decode(bytes, { stream: true });
        if (text.includes('"entry"')) continue;
        for (const stamp of readStamps(text)) ages.push(now - stamp);
      }
    }),
  );
  return ages.sort((a, b) => a - b);
}
