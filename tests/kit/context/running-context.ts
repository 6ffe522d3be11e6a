// The compiled `cairn` as a context server: made with `cairn init server`, run with `cairn server start`, on a port of the system's choice.
// Commands run against its directory. `await using` kills what is still running and removes the folder.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditRecord } from "../../../src/context/audit/schema.ts";
import { binaryPath } from "../binaries.ts";
import { cairnAt, data, type Cairn } from "../cli/cairn.ts";
import { contextClient, configure, type ContextClient } from "./context-server.ts";
import { temporaryFolder } from "../folder.ts";
import { listening, LogReader, type LogLine } from "../log-reader.ts";
import { RUN_LIMIT_MS } from "../wait-limit.ts";
import { within } from "../within.ts";

/** Commands run against its directory. */
export interface RunningContext extends AsyncDisposable, Cairn {
  readonly directory: string;
  readonly bootstrap: string;
  readonly url: string;
  readonly pid: number;
  readonly log: readonly LogLine[];
  readonly admin: ContextClient;
  as(token: string): ContextClient;
  /** Sends the signal and resolves with how the program ended. */
  end(signal: NodeJS.Signals): Promise<{ exitCode: number | null; signal: string | number | null }>;
  start(options?: StartOptions): Promise<void>;
}

interface StartOptions {
  /** No file of it may grow beyond this, as on a disk that is full. */
  readonly fileKiBMax?: number;
  /** The command that starts it: the program and its arguments follow. */
  readonly behind?: readonly string[];
  /** `on standby`: for a node of a server that another node leads. */
  readonly says?: "listening" | "on standby";
}

interface RunContextOptions {
  /** Laid over `server.yaml`; rate limits are off unless it says otherwise. */
  readonly config?: Record<string, unknown>;
  readonly template?: "team" | "blank";
}

export async function runContext(options: RunContextOptions = {}): Promise<RunningContext> {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const init = ["init", "server", "--noui", "--non-interactive", "--data-dir", directory, "--port", "0"];
  const first = ["--space", "team", "--admin", "root", "--template", options.template ?? "blank"];
  const { token } = await data<{ token: string }>(...init, ...first);
  // Chosen at each start: a port that was free some time ago may be taken by another test.
  configure(directory, { rate_limit: { enabled: false }, listen: { port: 0 }, ...options.config });
  let running = await start(directory);
  return {
    ...cairnAt(["--server-dir", directory]),
    directory,
    bootstrap: token,
    get url() {
      return running.url;
    },
    get pid() {
      return running.child.pid;
    },
    get log() {
      return running.log.lines;
    },
    get admin() {
      return contextClient(running.url, token);
    },
    as: (other) => contextClient(running.url, other),
    async end(signal) {
      const { child, log } = running;
      child.kill(signal);
      const ends = Promise.all([child.exited, log.ended]);
      await within(`cairn server ends after ${signal}`, ends, RUN_LIMIT_MS);
      return { exitCode: child.exitCode, signal: child.signalCode };
    },
    async start(how) {
      running = await start(directory, how);
    },
    async [Symbol.asyncDispose]() {
      running.child.kill("SIGKILL");
      await running.child.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

interface ServedContext extends AsyncDisposable {
  readonly url: string;
  readonly admin: ContextClient;
  as(token: string): ContextClient;
  kill(): Promise<unknown>;
}

/** Runs a server on a directory that is there already; `await using` kills it and leaves the directory. */
export async function serveContext(
  directory: string,
  token: string,
  options?: StartOptions,
): Promise<ServedContext> {
  const { child, url } = await start(directory, options);
  const kill = () => {
    child.kill("SIGKILL");
    return child.exited;
  };
  return {
    url,
    admin: contextClient(url, token),
    as: (other) => contextClient(url, other),
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
    },
  };
}

async function start(directory: string, { fileKiBMax, behind = [], says }: StartOptions = {}) {
  const command = [...behind, binaryPath("cairn"), "server", "start", "--server-dir", directory];
  // Ignored, the signal of the limit becomes an error of the write.
  const limited = ["bash", "-c", `trap "" XFSZ; ulimit -f ${fileKiBMax}; exec "$0" "$@"`, ...command];
  const child = Bun.spawn(fileKiBMax === undefined ? command : limited, {
    env: process.env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = new LogReader(child.stderr);
  return { child, log, url: await listening(child, log, says) };
}

/** Everything that the record holds, read from its file. */
export function auditRecords(directory: string): AuditRecord[] {
  const lines = readFileSync(join(directory, "audit", "audit.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditRecord);
}
