// Starting, resting, and the smallest command: what a person feels before anything is asked of the service.

import type { ProgramName } from "../../release/targets.ts";
import { binaryPath } from "../kit/binaries.ts";
import { benchService, processorMs, residentMb } from "./programs.ts";
import { percentile, type Row } from "./row.ts";

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
  const middle = (values: number[]) =>
    percentile(
      values.sort((a, b) => a - b),
      0.5,
    );
  const [start, version] = [middle(starts), middle(versions)];
  const [help, shaken] = [middle(helps), middle(handshakes)];
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
    {
      name: "cairn --help, median",
      measured: help,
      unit: "ms",
      target: "≤ 60 ms",
      met: help <= 60,
    },
    {
      name: "cairn mcp, start to answered handshake, median",
      measured: shaken,
      unit: "ms",
      target: "≤ 200 ms",
      met: shaken <= 200,
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
