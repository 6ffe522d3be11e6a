// The compiled `service` as a running program: started on a port of the system's choice, its log read line by line, stopped by signal.
// `await using` kills what is still running and removes the folder that was made for it.

import { binaryPath } from "./binaries.ts";
import { createClient, type Client } from "./client.ts";
import { temporaryFolder } from "./folder.ts";

const START_LIMIT_MS = 15_000;

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface RunOptions {
  /** A data directory to start on; given: it is not removed. */
  readonly data?: string;
  readonly listen?: string;
  readonly args?: readonly string[];
  readonly environment?: Record<string, string>;
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
  const listening = await log.line("listening", START_LIMIT_MS);
  const url = String(listening.url);
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
    line: (message) => log.line(message, START_LIMIT_MS),
    stopReading: () => log.close(),
    async end(signal) {
      child.kill(signal);
      await child.exited;
      await log.ended;
      return { exitCode: child.exitCode, signal: child.signalCode };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await folder?.[Symbol.asyncDispose]();
    },
  };
}

export class LogReader {
  readonly lines: LogLine[] = [];
  readonly ended: Promise<void>;
  text = "";
  #over = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #waiting = new Set<() => void>();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    this.ended = this.#read();
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  async line(message: string, limitMs: number): Promise<LogLine> {
    const found = () => this.lines.find((line) => line.message === message);
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (found() || this.#over) resolve();
    };
    const limit = setTimeout(resolve, limitMs);
    this.#waiting.add(look);
    look();
    await promise;
    clearTimeout(limit);
    this.#waiting.delete(look);
    const line = found();
    if (!line) throw new Error(`no log line "${message}"; the program said:\n${this.text}`);
    return line;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      const text = decoder.decode(value, { stream: true });
      this.text += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.lines.push(
        ...lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as LogLine),
      );
      for (const look of this.#waiting) look();
    }
    this.#over = true;
    for (const look of this.#waiting) look();
  }
}
