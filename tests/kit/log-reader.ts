// The log of a running program, read line by line as it comes.

import { RUN_LIMIT_MS } from "./wait-limit.ts";

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Resolves with the address at which the program listens. A program that does not come so far is killed, because its test cannot name it. */
export async function listening(
  child: Bun.Subprocess,
  log: LogReader,
  says: "listening" | "on standby" = "listening",
): Promise<string> {
  try {
    return String((await log.line(says, RUN_LIMIT_MS)).url);
  } catch (error) {
    child.kill("SIGKILL");
    await child.exited;
    throw error;
  }
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
