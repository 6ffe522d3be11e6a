// The effect of running gears on everybody else: the API's answers with 20 gears at once, in containers where a daemon answers here,
// otherwise as child processes. The gears are started again as they end, so that there are always 20.

import { atEnd } from "../kit/at-end.ts";
import { startDocker } from "../kit/docker.ts";
import { benchService, load, type BenchService } from "./programs.ts";
import type { Row } from "./row.ts";

const GEARS = 20;
const MILLISECONDS = 6000;
const CONNECTIONS = 2;
const CODE = "read -r line; for i in 1 2 3 4 5; do echo $i; done";

export async function run(): Promise<Row[]> {
  const docker = await startDocker();
  const images = Object.entries(docker?.images ?? {}).map(([runtime, image]) => `  ${runtime}: ${image}\n`);
  const config = docker ? `sandbox: docker\nsandbox_images:\n${images.join("")}` : "sandbox: subprocess\n";
  await using _ = atEnd(() => docker?.stop());
  await using service = await benchService(config);
  const path = "/api/v1/whoami";
  const token = [`Authorization: Bearer ${service.token}`];
  const alone = await load(service.port, path, CONNECTIONS, MILLISECONDS, token);
  const gears = await keepRunning(service);
  const beside = await load(service.port, path, CONNECTIONS, MILLISECONDS, token);
  const done = await gears.stop();
  const where = docker ? "in containers" : "as child processes";
  const name = `answers of the API while ${GEARS} gears run ${where} (${done} ended), p99`;
  return [
    { name, measured: beside.p99, unit: "ms", limit: alone.p99, target: "< 20 ms", met: beside.p99 < 20 },
  ];
}

async function keepRunning(service: BenchService): Promise<{ stop: () => Promise<number> }> {
  const { client } = service;
  const gear = await client.post("/gears", {
    name: "count_up",
    runtime: "bash",
    code: CODE,
    args_schema: '{"type":"object"}',
  });
  await client.patch(`/gears/${gear.id}`, { status: "approved" });
  const stopping = new AbortController();
  let done = 0;
  const loops = Array.from({ length: GEARS }, async () => {
    while (!stopping.signal.aborted) {
      const { exit_code } = await client.post(`/gears/${gear.id}/run`, { args: {} });
      if (exit_code !== 0) throw new Error(`a gear ended with exit code ${exit_code}`);
      done += 1;
    }
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
      return done;
    },
  };
}
