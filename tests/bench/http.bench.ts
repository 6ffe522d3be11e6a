// Plain requests: one authenticated record at 64 connections against bare Bun.serve with the same payload, a list of 1,000 records, and what
// the largest JSON body costs at worst.

import { benchService, firstLines, load } from "./programs.ts";
import { JSON_BODY_BYTES_MAX, parseJson } from "../../src/kit/http/body.ts";
import { JSON_NAMES_MAX, JSON_TEXTS_MAX } from "../../src/kit/text/json-shape.ts";
import { inTurn } from "./requests.ts";
import { figure, median, type Row } from "./row.ts";

const MILLISECONDS = 3000;
const RATIO_MIN = 0.65;

export async function run(): Promise<Row[]> {
  await using service = await benchService();
  const { client, token } = service;
  const provider = await client.post("/providers", { name: "p", type: "anthropic" });
  const model = await client.post("/models", { provider_id: provider.id, model_name: "m" });
  const make = (index: number) =>
    client.post("/workspaces", { name: `workspace ${index}`, orchestrator_model_id: model.id });
  const first = await make(0);
  const path = `/api/v1/workspaces/${first.id}`;
  const payload = await client.get(`/workspaces/${first.id}`);
  const bareProcess = Bun.spawn(
    [
      process.execPath,
      "-e",
      `const s = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(${JSON.stringify(payload)}) }); console.log(s.port)`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const bare = { pid: bareProcess.pid, port: Number(await firstLines(bareProcess.stdout, /\n/)), path };
  const headers = [`Authorization: Bearer ${token}`];
  const { limit, ours } = await inTurn(bare, { pid: service.pid, port: service.port, path, headers });
  bareProcess.kill();
  for (let index = 1; index < 1000; index++) await make(index);
  const list = await load(service.port, "/api/v1/workspaces", 1, MILLISECONDS, headers);
  return [
    {
      name: "GET /workspaces/{id}, authenticated, 64 at once",
      measured: ours.rate,
      unit: "1/s",
      limit: limit.rate,
      ratio: ours.rate / limit.rate,
      target: `≥ ${RATIO_MIN} of bare Bun.serve`,
      met: ours.rate / limit.rate >= RATIO_MIN,
    },
    figure("the same, processor for one", ours.cost, { unit: "µs", limit: limit.cost }),
    figure("GET /workspaces, 1,000 of them, p50", list.p50, { atMost: 5 }),
    figure("GET /workspaces, 1,000 of them, p99", list.p99, { atMost: 5 }),
    bodyCost(),
  ];
}

/** The parser takes longest for different keys in many objects, and then for different texts. */
function bodyCost(): Row {
  const objects = Array.from({ length: JSON_NAMES_MAX }, (_, index) => `{"${index.toString(36)}":1}`);
  const texts = Array.from({ length: JSON_TEXTS_MAX - JSON_NAMES_MAX }, (_, index) => `"${index}"`);
  const text = `[${[...objects, ...texts].join(",")}]`.padEnd(JSON_BODY_BYTES_MAX);
  const bytes = new TextEncoder().encode(text);
  const timed = (work: () => unknown) =>
    median(
      Array.from({ length: 11 }, () => {
        const from = performance.now();
        work();
        return performance.now() - from;
      }),
    );
  const [limit, measured] = [timed(() => JSON.parse(text)), timed(() => parseJson(bytes))];
  return figure("a JSON body of 1 MiB with the most keys and texts, checked", measured, {
    atMost: 20,
    limit,
  });
}
