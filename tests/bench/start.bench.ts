// Starting, resting, and the smallest command: what a person feels before anything is asked of the service.

import { binaryPath } from "../kit/binaries.ts";
import { benchService, processorMs, residentMb } from "./programs.ts";
import { percentile, type Row } from "./row.ts";

const STARTS = 9;
const VERSIONS = 30;
const REST_MS = 10_000;

export async function run(): Promise<Row[]> {
  const starts: number[] = [];
  for (let index = 0; index < STARTS; index++) {
    await using service = await benchService();
    starts.push(service.startMs);
  }
  const versions: number[] = [];
  for (let index = 0; index < VERSIONS; index++) {
    const started = performance.now();
    await Bun.spawn([binaryPath("service"), "version"], { stdio: ["ignore", "ignore", "ignore"] }).exited;
    versions.push(performance.now() - started);
  }
  await using service = await benchService();
  await Bun.sleep(1000);
  const before = await processorMs(service.pid);
  await Bun.sleep(REST_MS);
  const idleMs = (await processorMs(service.pid)) - before;
  const memory = await residentMb(service.pid);
  const middle = (values: number[]) =>
    percentile(
      values.sort((a, b) => a - b),
      0.5,
    );
  const [start, version] = [middle(starts), middle(versions)];
  return [
    {
      name: "start to healthy, median",
      measured: start,
      unit: "ms",
      target: "≤ 80 ms (floor 39)",
      met: start <= 80,
    },
    {
      name: "service version, median",
      measured: version,
      unit: "ms",
      target: "≤ 25 ms (floor 15)",
      met: version <= 25,
    },
    { name: "memory at rest", measured: memory, unit: "MB", target: "≤ 60 MB (floor 40)", met: memory <= 60 },
    {
      name: "processor at rest, of one core",
      measured: (idleMs / REST_MS) * 100,
      unit: "%",
      target: "none (≤ 0.5 %)",
      met: idleMs / REST_MS <= 0.005,
    },
  ];
}
