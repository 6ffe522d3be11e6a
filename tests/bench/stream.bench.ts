// Streaming: what the service adds to a chunk between provider and viewer, 200 turns at once, and what a chunk costs it.
// The same streams are first read straight from the model, so that what remains is the service's.

import { readStamps } from "../kit/model/index.ts";
import { join } from "node:path";
import { benchModel, benchService, firstLines, processorMs } from "./programs.ts";
import { percentile, type Row } from "./row.ts";
import { CHUNKS, EVERY_MS } from "./stream-script.ts";

const TURNS = 200;
/** Between two starts: 200 starts in one instant are a measurement of starts. */
const START_EVERY_MS = 10;
const CHUNK_LOSS_MAX = 0.01;

interface Sample {
  readonly at: number;
  readonly age: number;
}

export async function run(): Promise<Row[]> {
  await using model = await benchModel("stream-script.ts");
  const direct = await readAll(TURNS, () => directStream(model.url));
  await using service = await benchService();
  const { client } = service;
  const provider = await client.post<{ id: number }>("/providers", {
    name: "p",
    type: "openai-compatible",
    base_url: `${model.url}/v1`,
    api_key: "k",
  });
  const entry = await client.post<{ id: number }>("/models", { provider_id: provider.id, model_name: "m" });
  const ids: number[] = [];
  for (let index = 0; index < TURNS; index++) {
    ids.push(
      (
        await client.post<{ id: number }>("/workspaces", {
          name: `w${index}`,
          orchestrator_model_id: entry.id,
        })
      ).id,
    );
  }
  await readAll(10, (index) => chat(service.url, ids[index]!));
  const before = await processorMs(service.pid);
  const through = await readAll(TURNS, (index) => chat(service.url, ids[index]!));
  const perChunk = (((await processorMs(service.pid)) - before) * 1000) / (TURNS * CHUNKS);
  const floor = await relayFloor(model.url);
  const added = (share: number) => percentile(through, share) - percentile(direct, share);
  const detail = `${TURNS} turns, a chunk every ${EVERY_MS} ms each`;
  return [
    {
      name: `added to a chunk, p50 (${detail})`,
      measured: added(0.5),
      unit: "ms",
      limit: percentile(direct, 0.5),
      target: "≤ 1 ms",
      met: added(0.5) <= 1,
    },
    {
      name: "added to a chunk, p99",
      measured: added(0.99),
      unit: "ms",
      limit: percentile(direct, 0.99),
      target: "≤ 1 ms",
      met: added(0.99) <= 1,
    },
    {
      name: "processor for a chunk, stored events included",
      measured: perChunk,
      unit: "µs",
      limit: floor,
      ratio: floor / perChunk,
      target: "≤ 30 µs",
      met: perChunk <= 30,
    },
  ];
}

/** Processor for a chunk, µs, of the least program that could do it: the provider's body handed on as it is. */
async function relayFloor(modelUrl: string): Promise<number> {
  const relay = Bun.spawn([process.execPath, join(import.meta.dir, "relay.ts"), modelUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = (await firstLines(relay.stdout, /\n/)).trim();
  const before = await processorMs(relay.pid);
  await readAll(TURNS, () => fetch(url));
  const spentMs = (await processorMs(relay.pid)) - before;
  relay.kill();
  return (spentMs * 1000) / (TURNS * CHUNKS);
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

/** Ages of chunks on arrival, ms, ascending: those that came while all streams were open. Raises when chunks are missing. */
async function readAll(count: number, open: (index: number) => Promise<Response>): Promise<number[]> {
  const samples: Sample[] = [];
  let lastStart = 0;
  let firstEnd = Number.POSITIVE_INFINITY;
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await Bun.sleep(index * START_EVERY_MS);
      const response = await open(index);
      lastStart = Math.max(lastStart, performance.now());
      await read(response, samples);
      firstEnd = Math.min(firstEnd, performance.now());
    }),
  );
  // A stamp that a packet's border cuts in two is not counted.
  if (samples.length < count * CHUNKS * (1 - CHUNK_LOSS_MAX))
    throw new Error(`${samples.length} of ${count * CHUNKS} chunks arrived`);
  const steady = samples.filter((sample) => sample.at > lastStart && sample.at < firstEnd);
  return steady.map((sample) => sample.age).sort((a, b) => a - b);
}

async function read(response: Response, samples: Sample[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    const at = performance.now();
    const text = decoder.decode(bytes, { stream: true });
    if (text.includes('"entry"')) continue;
    for (const stamp of readStamps(text)) samples.push({ at, age: performance.timeOrigin + at - stamp });
  }
}
