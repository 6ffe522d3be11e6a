// Starting and stopping what benchmarks measure: the compiled service, the scripted model, the load. Everything is a process of its own.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "../kit/http/client.ts";
import { binaryPath } from "../kit/binaries.ts";

/** Part of what a start is measured to take. */
const LOG_POLL_MS = 1;

export interface BenchService extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly token: string;
  readonly data: string;
  readonly client: Client;
  /** From the start of the process to the first healthy answer. */
  readonly startMs: number;
}

/** `config`: the text of its configuration file. */
export async function benchService(config = ""): Promise<BenchService> {
  const data = await mkdtemp(join(tmpdir(), "cairn-bench-"));
  if (config !== "") await Bun.write(join(data, "config.yaml"), config);
  const started = performance.now();
  // Into a file, as under systemd: reading it here would cost a processor that is measured.
  const logFile = `${data}.log`;
  const child = Bun.spawn([binaryPath("service"), "serve", "--data", data, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", Bun.file(logFile)],
    env: { PATH: process.env.PATH ?? "", HOME: data },
  });
  let log = "";
  while (!/"listening".*\n/.test(log)) {
    if (child.exitCode !== null) throw new Error(`ended before it was ready:\n${log}`);
    await Bun.sleep(LOG_POLL_MS);
    // A file object keeps the size that it saw first.
    log = existsSync(logFile) ? await Bun.file(logFile).text() : "";
  }
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(log)![1]);
  const url = `http://127.0.0.1:${port}`;
  await fetch(`${url}/health`);
  return {
    url,
    port,
    pid: child.pid,
    token: /"token":"([^"]+)"/.exec(log)![1]!,
    data,
    client: createClient(url),
    startMs: performance.now() - started,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      await rm(data, { recursive: true, force: true });
      await rm(logFile, { force: true });
    },
  };
}

interface BenchModel extends AsyncDisposable {
  readonly url: string;
}

/** `script`: a module that exports `script(model)`. */
export async function benchModel(script: string): Promise<BenchModel> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "../kit/model/main.ts"),
      "--script",
      join(import.meta.dir, script),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const url = (await firstLines(child.stdout, /\n/)).trim();
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

export interface LoadResult {
  rate: number;
  p50: number;
  p99: number;
  failures: number;
}

export async function load(
  port: number,
  path: string,
  connections: number,
  milliseconds: number,
  headers: string[] = [],
): Promise<LoadResult> {
  const command = [
    process.execPath,
    join(import.meta.dir, "load.ts"),
    String(port),
    path,
    String(connections),
    String(milliseconds),
    ...headers,
  ];
  const result = JSON.parse(
    await new Response(Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] }).stdout).text(),
  ) as LoadResult;
  if (result.failures > 0) throw new Error(`${result.failures} requests were not answered with 200`);
  return result;
}

export async function firstLines(stream: ReadableStream<Uint8Array>, wanted: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = "";
  while (!wanted.test(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`ended before it was ready:\n${text}`);
    text += decoder.decode(value, { stream: true });
  }
  // Read on without looking, so that the program never waits for us.
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return text;
}

/** User and system processor time of a process so far, ms (Linux). */
export async function processorMs(pid: number): Promise<number> {
  const fields = (await Bun.file(`/proc/${pid}/stat`).text()).split(") ")[1]!.split(" ");
  const TICK_MS = 10;
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory, MB (Linux). */
export async function residentMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}
