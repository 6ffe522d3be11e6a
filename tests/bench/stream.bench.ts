// Streaming: what a chunk costs between provider and viewer while many turns answer at once. The least program that does the same
// (`relay.ts`) is measured in turn with the service, so that both see the same machine; only the ratio travels.

import { join } from "node:path";
import { readStamps } from "../kit/model/index.ts";
import { providedWorkspaces } from "../kit/service/provided.ts";
import { benchModel, benchService, firstLines, processorMs, type BenchService } from "./programs.ts";
import { figure, percentile, type Row } from "./row.ts";
import { CHUNKS, EVERY_MS } from "./stream-script.ts";

const TURNS = [50, 200];
const ROUNDS = 3;
/** Before them, so that the programs' hot code is compiled: a server that runs for days has that behind it. */
const WARM_UP_ROUNDS = 3;
const WARM_UP_TURNS = 50;
/** Between two starts: 200 starts in one instant are a measurement of starts. */
const START_EVERY_MS = 4;
/** The end of a turn is stored; these last chunks of each are not measured. */
const CHUNKS_BEFORE_END = 20;
const CHUNK_LOSS_MAX = 0.01;
const PROCESSOR_RATIO_MAX = 1.3;
const P99_RATIO_MAX = 1.5;

/** A program with its chunks in the windows so far, in which every stream was open. */
interface Measured {
  readonly pid: number;
  readonly open: (index: number) => Promise<Response>;
  processorMs: number;
  /** Of chunks on arrival, ms. */
  readonly ages: number[];
}

export async function run(): Promise<Row[]> {
  await using model = await benchModel("stream-script.ts");
  await using relay = await startRelay(model.url);
  await using service = await benchService();
  const workspaces = await furnish(service, model.url, Math.max(...TURNS));
  const openRelay = () => fetch(relay.url);
  const openChat = (index: number) => chat(service.url, workspaces[index]!);
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    await measure(fresh(relay.pid, openRelay), WARM_UP_TURNS);
    await measure(fresh(service.pid, openChat), WARM_UP_TURNS);
  }
  const rows: Row[] = [];
  for (const turns of TURNS) {
    const limit = fresh(relay.pid, openRelay);
    const ours = fresh(service.pid, openChat);
    for (let round = 0; round < ROUNDS; round++) {
      await measure(limit, turns);
      await measure(ours, turns);
    }
    rows.push(...rowsOf(turns, ours, limit));
  }
  return rows;
}

function rowsOf(turns: number, ours: Measured, limit: Measured): Row[] {
  const cost = ({ processorMs: spent, ages }: Measured) => (spent * 1000) / ages.length;
  const p99 = ({ ages }: Measured) => percentile(ages, 0.99);
  const row = (name: string, of: (one: Measured) => number, unit: string, ratioMax: number) =>
    figure(`${name} (${turns} turns, a chunk every ${EVERY_MS} ms each)`, of(ours), {
      unit,
      limit: of(limit),
      atMost: ratioMax * of(limit),
      target: `≤ ${ratioMax} × a bare relay`,
    });
  return [
    row("processor for a chunk", cost, "µs", PROCESSOR_RATIO_MAX),
    row("from model to viewer, p99", p99, "ms", P99_RATIO_MAX),
  ];
}

function fresh(pid: number, open: Measured["open"]): Measured {
  return { pid, open, processorMs: 0, ages: [] };
}

/**
 * Reads `turns` streams to their end. Counts from when each has begun until one is near its end: what starts and ends cost is left out.
 * Raises when chunks are missing.
 */
async function measure(program: Measured, turns: number): Promise<void> {
  const received = Array.from({ length: turns }, () => 0);
  let begun = 0;
  let before: Promise<number> | undefined;
  let after: Promise<number> | undefined;
  const take = (index: number, stamps: readonly number[], now: number) => {
    if (received[index] === 0 && ++begun === turns) before = processorMs(program.pid);
    received[index]! += stamps.length;
    if (before && !after) for (const stamp of stamps) program.ages.push(now - stamp);
    if (received[index]! >= CHUNKS - CHUNKS_BEFORE_END) after ??= processorMs(program.pid);
  };
  await Promise.all(
    received.map(async (_, index) => {
      await Bun.sleep(index * START_EVERY_MS);
      await read(await program.open(index), (stamps, now) => take(index, stamps, now));
    }),
  );
  const total = received.reduce((sum, count) => sum + count, 0);
  // A stamp that a packet's border cuts in two is not counted.
  if (total < turns * CHUNKS * (1 - CHUNK_LOSS_MAX) || !before || !after)
    throw new Error(`${total} of ${turns * CHUNKS} chunks arrived`);
  program.processorMs += (await after) - (await before);
}

async function read(response: Response, take: (stamps: number[], now: number) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    const now = performance.timeOrigin + performance.now();
    const text = decoder.decode(bytes, { stream: true });
    if (text.includes('"entry"')) continue;
    const stamps = readStamps(text);
    if (stamps.length > 0) take(stamps, now);
  }
}

async function startRelay(modelUrl: string) {
  const relay = Bun.spawn([process.execPath, join(import.meta.dir, "relay.ts"), modelUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = (await firstLines(relay.stdout, /\n/)).trim();
  return {
    url,
    pid: relay.pid,
    async [Symbol.asyncDispose]() {
      relay.kill();
      await relay.exited;
    },
  };
}

/** Ids of workspaces whose orchestrators think with the scripted model. */
async function furnish({ client }: BenchService, modelUrl: string, count: number): Promise<number[]> {
  const names = Array.from({ length: count }, (_, index) => `w${index}`);
  return (await providedWorkspaces(client, `${modelUrl}/v1`, ...names)).map(({ id }) => id);
}

function chat(url: string, workspaceId: number): Promise<Response> {
  return fetch(`${url}/api/v1/workspaces/${workspaceId}/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ text: "go" }),
  });
}
