// Streaming: what a chunk costs between provider and viewer while many turns answer at once. The least program that does the same
// (`relay.ts`) is measured in turn with the service, so that both see the same machine; only the ratio travels.

import { join } from "node:path";
import { readStamps } from "../kit/model/index.ts";
import { providedWorkspaces } from "../kit/service/provided.ts";
import { benchModel, benchService, firstLines, processorMs, type BenchService } from "./programs.ts";
import { figure, median, percentile, type Row } from "./row.ts";
import { CHUNKS, EVERY_MS } from "./stream-script.ts";

const TURNS = [50, 200];
/** The median of them counts: where the machine is shared, one bad round would decide the p99 of all. */
const ROUNDS = 5;
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

interface Program {
  readonly pid: number;
  readonly open: (index: number) => Promise<Response>;
}

/** One round, from when each stream was open until the first was near its end. */
interface Round {
  /** Processor time of a chunk, µs. */
  readonly cost: number;
  /** Of the ages of chunks on arrival, ms. */
  readonly p99: number;
}

export async function run(): Promise<Row[]> {
  await using model = await benchModel("stream-script.ts");
  await using relay = await startRelay(model.url);
  await using service = await benchService();
  const workspaces = await furnish(service, model.url, Math.max(...TURNS));
  const limit = { pid: relay.pid, open: () => fetch(relay.url) };
  const ours = { pid: service.pid, open: (index: number) => chat(service.url, workspaces[index]!) };
  await inTurn(limit, ours, { turns: WARM_UP_TURNS, rounds: WARM_UP_ROUNDS });
  const rows: Row[] = [];
  for (const turns of TURNS)
    rows.push(...rowsOf(turns, await inTurn(limit, ours, { turns, rounds: ROUNDS })));
  return rows;
}

interface Rounds {
  readonly limit: Round[];
  readonly ours: Round[];
}

async function inTurn(
  limit: Program,
  ours: Program,
  { turns, rounds }: { turns: number; rounds: number },
): Promise<Rounds> {
  const measured: Rounds = { limit: [], ours: [] };
  for (let round = 0; round < rounds; round++) {
    measured.limit.push(await measure(limit, turns));
    measured.ours.push(await measure(ours, turns));
  }
  return measured;
}

function rowsOf(turns: number, { limit, ours }: Rounds): Row[] {
  const row = (name: string, of: (round: Round) => number, unit: string, ratioMax: number) => {
    const least = median(limit.map(of));
    return figure(`${name} (${turns} turns, a chunk every ${EVERY_MS} ms each)`, median(ours.map(of)), {
      unit,
      limit: least,
      atMost: ratioMax * least,
      target: `≤ ${ratioMax} × a bare relay`,
    });
  };
  return [
    row("processor for a chunk", ({ cost }) => cost, "µs", PROCESSOR_RATIO_MAX),
    row("from model to viewer, p99", ({ p99 }) => p99, "ms", P99_RATIO_MAX),
  ];
}

/**
 * Reads `turns` streams to their end. Counts from when each has begun until one is near its end: what starts and ends cost is left out.
 * Raises when chunks are missing.
 */
async function measure(program: Program, turns: number): Promise<Round> {
  const received = Array.from({ length: turns }, () => 0);
  const ages: number[] = [];
  let begun = 0;
  let before: Promise<number> | undefined;
  let after: Promise<number> | undefined;
  const take = (index: number, stamps: readonly number[], now: number) => {
    if (received[index] === 0 && ++begun === turns) before = processorMs(program.pid);
    received[index]! += stamps.length;
    if (before && !after) for (const stamp of stamps) ages.push(now - stamp);
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
  const spentMs = (await after) - (await before);
  return { cost: (spentMs * 1000) / ages.length, p99: percentile(ages, 0.99) };
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
