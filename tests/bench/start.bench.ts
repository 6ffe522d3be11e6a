// Starting, resting, and the smallest command: what a person feels before anything is asked of the service.

import type { ProgramName } from "../../release/targets.ts";
import { binaryPath } from "../kit/binaries.ts";
import { benchService, processorMs, residentMb } from "./programs.ts";
import { figure, median, type Row } from "./row.ts";

const STARTS = 9;
const COMMANDS = 30;
const REST_MS = 10_000;

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < COMMANDS; index++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times;
}

function ended(program: ProgramName, command: string): Promise<number> {
  return Bun.spawn([binaryPath(program), command], { stdio: ["ignore", "ignore", "ignore"] }).exited;
}

/** The wait of an AI tool when it starts. */
async function handshake(): Promise<void> {
  const child = Bun.spawn([binaryPath("cairn"), "mcp"], { stdio: ["pipe", "pipe", "ignore"] });
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await child.stdout.getReader().read();
  child.kill("SIGKILL");
}

export async function run(): Promise<Row[]> {
  const starts: number[] = [];
  for (let index = 0; index < STARTS; index++) {
    await using service = await benchService();
    starts.push(service.startMs);
  }
  const versions = await timesOf(() => ended("service", "version"));
  const helps = await timesOf(() => ended("cairn", "--help"));
  const handshakes = await timesOf(handshake);
  await using service = await benchService();
  await Bun.sleep(1000);
  const before = await processorMs(service.pid);
  await Bun.sleep(REST_MS);
  const idleMs = (await processorMs(service.pid)) - before;
  const memory = await residentMb(service.pid);
  const [start, version] = [median(starts), median(versions)];
  const [help, shaken] = [median(helps), median(handshakes)];
  return [
    figure("start to healthy, median", start, { atMost: 80, target: "≤ 80 ms (floor 39)" }),
    figure("service version, median", version, { atMost: 25, target: "≤ 25 ms (floor 15)" }),
    figure("cairn --help, median", help, { atMost: 60 }),
    figure("cairn mcp, start to answered handshake, median", shaken, { atMost: 200 }),
    figure("memory at rest", memory, { unit: "MB", atMost: 60, target: "≤ 60 MB (floor 40)" }),
    figure("processor at rest, of one core", (idleMs / REST_MS) * 100, {
      unit: "%",
      atMost: 0.5,
      target: "none (≤ 0.5 %)",
    }),
  ];
}
