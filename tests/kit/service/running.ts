// The compiled `service` as a running program: started on a port of the system's choice, its log read line by line, stopped by signal.
// `await using` kills what is still running and removes the folder that was made for it.

import { binaryPath } from "../binaries.ts";
import { createClient, type Client } from "../http/client.ts";
import { temporaryFolder } from "../folder.ts";
import { listening, LogReader, type LogLine } from "../log-reader.ts";
import { RUN_LIMIT_MS, WAIT_LIMIT_MS } from "../wait-limit.ts";
import { within } from "../within.ts";

export interface RunOptions {
  /** A data directory to start on; given: it is not removed. */
  readonly data?: string;
  readonly listen?: string;
  readonly args?: readonly string[];
  readonly environment?: Record<string, string>;
  /** A command that starts the command after it, in its own process: `["nice"]`. */
  readonly behind?: readonly string[];
}

export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  readonly log: readonly LogLine[];
  /** The token that the log announced; empty when it did not. */
  readonly token: string;
  /** Acts with the loopback privilege. */
  readonly admin: Client;
  readonly pid: number;
  readonly child: Bun.Subprocess;
  /** Everything on stderr so far. */
  text(): string;
  /** The first log line with this message, now or later. Raises when the program ends without it. */
  line(message: string): Promise<LogLine>;
  /** Closes our end of its stderr. */
  stopReading(): Promise<void>;
  /** Sends the signal and resolves with how the program ended. */
  end(signal: NodeJS.Signals): Promise<{ exitCode: number | null; signal: string | number | null }>;
}

/** Raises with what the program said when it does not start. */
export async function runService(options: RunOptions = {}): Promise<RunningService> {
  const folder = options.data === undefined ? await temporaryFolder() : undefined;
  const data = options.data ?? `${folder!.path}/data`;
  const child = Bun.spawn(
    [
      ...(options.behind ?? []),
      binaryPath("service"),
      "serve",
      "--data",
      data,
      "--listen",
      options.listen ?? "127.0.0.1:0",
      ...(options.args ?? []),
    ],
    { env: { ...process.env, ...options.environment }, stdio: ["ignore", "ignore", "pipe"] },
  );
  const log = new LogReader(child.stderr);
  const url = await listening(child, log);
  return {
    url,
    port: Number(new URL(url).port),
    data,
    log: log.lines,
    token: String(log.lines.find((line) => line.token !== undefined)?.token ?? ""),
    admin: createClient(url),
    pid: child.pid,
    child,
    text: () => log.text,
    line: (message) => log.line(message, WAIT_LIMIT_MS),
    stopReading: () => log.close(),
    async end(signal) {
      child.kill(signal);
      await within(`service ends after ${signal}`, Promise.all([child.exited, log.ended]), RUN_LIMIT_MS);
      return { exitCode: child.exitCode, signal: child.signalCode };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await folder?.[Symbol.asyncDispose]();
    },
  };
}
