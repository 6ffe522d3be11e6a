// Memory after load: chat turns with viewers and reads against the compiled service for a while, then quiet again. Memory that does not come back
// is a leak or a cache without a bound. By default for half a minute; `MEMORY_BENCH_SECONDS=600` is what the goal is about.

import { providedWorkspaces } from "../kit/service/provided.ts";
import { benchModel, benchService, load, residentMb, type BenchService } from "./programs.ts";
import { figure, type Row } from "./row.ts";

const SECONDS = Number(process.env["MEMORY_BENCH_SECONDS"] ?? 30);
const TURNS_AT_ONCE = 20;
const READERS = 16;
/** So that the code is loaded and compiled, and the caches of the database are full, before the start is taken. */
const WARM_UP_SECONDS = 10;
/** Memory goes back to the system in steps, some time after it was freed. */
const QUIET_SECONDS = 20;
const GROWTH_MAX = 1.2;

export async function run(): Promise<Row[]> {
  await using model = await benchModel("memory-script.ts");
  await using service = await benchService();
  const workspaces = await furnish(service, model.url);
  const fresh = await residentMb(service.pid);
  await drive(service, workspaces, WARM_UP_SECONDS);
  await Bun.sleep(QUIET_SECONDS * 1000);
  const before = await residentMb(service.pid);
  const { peak, turns } = await drive(service, workspaces, SECONDS);
  await Bun.sleep(QUIET_SECONDS * 1000);
  const after = await residentMb(service.pid);
  const plain = (name: string, measured: number) => figure(name, measured, { unit: "MB" });
  return [
    plain("memory of the service before any load", fresh),
    plain("memory at rest, after a short load", before),
    plain(`the same, during ${SECONDS} s of load (${turns} turns and reads), peak`, peak),
    figure("the same, at rest again", after, {
      unit: "MB",
      atMost: GROWTH_MAX * before,
      target: `≤ ${GROWTH_MAX} × the start`,
      limit: before,
    }),
  ];
}

/** Turns and reads for so long. */
async function drive(service: BenchService, workspaces: readonly number[], seconds: number) {
  const end = performance.now() + seconds * 1000;
  let peak = 0;
  let turns = 0;
  const chats = workspaces.map(async (id) => {
    while (performance.now() < end) {
      await chat(service.url, id);
      turns += 1;
    }
  });
  const watching = (async () => {
    while (performance.now() < end) {
      peak = Math.max(peak, await residentMb(service.pid));
      await Bun.sleep(250);
    }
  })();
  const reads = load(service.port, `/api/v1/workspaces/${workspaces[0]}`, READERS, seconds * 1000, [
    `Authorization: Bearer ${service.token}`,
  ]);
  await Promise.all([...chats, watching, reads]);
  return { peak, turns };
}

async function furnish({ client }: BenchService, modelUrl: string): Promise<number[]> {
  const names = Array.from({ length: TURNS_AT_ONCE }, (_, index) => `w${index}`);
  return (await providedWorkspaces(client, `${modelUrl}/v1`, ...names)).map(({ id }) => id);
}

/** One turn, watched to its end; then its entries are forgotten, so that the prompts of a long run stay small. */
async function chat(url: string, workspaceId: number): Promise<void> {
  const response = await fetch(`${url}/api/v1/workspaces/${workspaceId}/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ text: "go" }),
  });
  const entries = [...(await response.text()).matchAll(/"entry":\{"id":(\d+)/g)].map(([, id]) => id);
  for (const id of entries)
    await fetch(`${url}/api/v1/entries/${id}`, {
      method: "DELETE",
      headers: { "Content-Type": "application/json" },
    });
}
