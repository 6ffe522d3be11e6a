// Plain requests: one authenticated record at 64 connections against bare Bun.serve with the same payload, and a list of 1,000 records.

import { benchService, load } from "./programs.ts";
import type { Row } from "./row.ts";

const CONNECTIONS = 64;
const MILLISECONDS = 3000;
const ROUNDS = 3;

export async function run(): Promise<Row[]> {
  await using service = await benchService();
  const { client, token } = service;
  const provider = await client.post<{ id: number }>("/providers", { name: "p", type: "anthropic" });
  const model = await client.post<{ id: number }>("/models", { provider_id: provider.id, model_name: "m" });
  const make = (index: number) =>
    client.post<{ id: number }>("/workspaces", {
      name: `workspace ${index}`,
      orchestrator_model_id: model.id,
    });
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
  const barePort = Number(new TextDecoder().decode((await bareProcess.stdout.getReader().read()).value));
  let ours = 0;
  let limit = 0;
  for (let round = 0; round < ROUNDS; round++) {
    limit = Math.max(limit, (await load(barePort, path, CONNECTIONS, MILLISECONDS)).rate);
    ours = Math.max(
      ours,
      (await load(service.port, path, CONNECTIONS, MILLISECONDS, [`Authorization: Bearer ${token}`])).rate,
    );
  }
  bareProcess.kill();
  for (let index = 1; index < 1000; index++) await make(index);
  const list = await load(service.port, "/api/v1/workspaces", 1, MILLISECONDS, [
    `Authorization: Bearer ${token}`,
  ]);
  return [
    {
      name: "GET /workspaces/{id}, authenticated, 64 at once",
      measured: ours,
      unit: "1/s",
      limit,
      ratio: ours / limit,
      target: "≥ 0.6 of bare Bun.serve",
      met: ours / limit >= 0.6,
    },
    {
      name: "GET /workspaces, 1,000 of them, p50",
      measured: list.p50,
      unit: "ms",
      target: "< 5 ms",
      met: list.p50 < 5,
    },
    {
      name: "GET /workspaces, 1,000 of them, p99",
      measured: list.p99,
      unit: "ms",
      target: "< 5 ms",
      met: list.p99 < 5,
    },
  ];
}
