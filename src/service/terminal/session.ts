// One terminal session: bytes between a socket and a shell, with backpressure in both directions, so that no buffer grows without bound.
// It ends once, for one reason. Access is checked elsewhere.

import { Value } from "@sinclair/typebox/value";
import { HOUR_MS, MINUTE_MS, type Clock } from "../../kit/clock.ts";
import type { Socket, SocketHandlers } from "../../kit/http/socket.ts";
import type { TerminalProcess } from "../../kit/processes/process.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import { IDLE_MINUTES_MAX, INPUT_BYTES_MAX, Resize, SESSION_HOURS_MAX } from "./schema.ts";
import type { ReadableFiles, Shells } from "./shells.ts";

/** Close codes of RFC 6455, 7.4.1, with the reason shown to the viewer and recorded in the audit. */
const ENDINGS = {
  shell: [1000, "the shell ended"],
  viewer: [1000, "the connection was closed"],
  idle: [1000, `nothing happened for ${IDLE_MINUTES_MAX} minutes`],
  age: [1000, `a session lasts ${SESSION_HOURS_MAX} hours at most`],
  stop: [1001, "the service is stopping"],
  rights: [1008, "you may no longer use this terminal"],
  message: [1008, 'a text frame must be {"type":"resize","cols":…,"rows":…}'],
  input: [1008, "input arrived faster than the shell reads it"],
  failed: [1011, "the terminal could not be started; see the service's log"],
} as const;
type EndKind = keyof typeof ENDINGS;

export class Session implements SocketHandlers {
  readonly name: string;
  readonly #shells: Pick<Shells, "create" | "attach">;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #over = Promise.withResolvers<void>();
  #ended: EndKind | undefined;
  #socket: Socket | undefined;
  #shell: TerminalProcess | undefined;
  #size = { columns: 80, rows: 24 };
  #input: Uint8Array[] = [];
  #inputBytes = 0;
  #writing = false;
  #paused = false;
  #activeAt: number;

  constructor(name: string, shells: Pick<Shells, "create" | "attach">, clock: Clock) {
    this.name = name;
    this.#shells = shells;
    this.#clock = clock;
    this.#startedAt = this.#activeAt = clock.elapsed();
  }

  /** Runs the session to its end. The caller then removes the container, if one was created. */
  async run(files: ReadableFiles | null): Promise<void> {
    if (this.#ended === undefined) {
      const created = await this.#shells.create(this.name, files);
      if (!created) this.end("failed");
      else if (this.#ended === undefined) this.#attach();
    }
    await this.#over.promise;
  }

  /** Ends the session; the first reason wins. */
  end(kind: EndKind): void {
    if (this.#ended !== undefined) return;
    this.#ended = kind;
    this.#shell?.kill();
    this.#closeSocket(kind);
    this.#over.resolve();
  }

  /** Ends an idle or old session; call it periodically. */
  checkLimits(): void {
    const now = this.#clock.elapsed();
    if (now - this.#activeAt >= IDLE_MINUTES_MAX * MINUTE_MS) this.end("idle");
    else if (now - this.#startedAt >= SESSION_HOURS_MAX * HOUR_MS) this.end("age");
  }

  get seconds(): number {
    return Math.round((this.#clock.elapsed() - this.#startedAt) / 1000);
  }

  /** The reason it ended, for the audit. */
  get reason(): string {
    return this.#ended === undefined ? "" : ENDINGS[this.#ended][1];
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    if (this.#ended !== undefined) this.#closeSocket(this.#ended);
  }

  message(data: string | Uint8Array): void {
    this.#activeAt = this.#clock.elapsed();
    if (typeof data === "string") return this.#resize(data);
    this.#inputBytes += data.byteLength;
    if (this.#inputBytes > INPUT_BYTES_MAX) return this.end("input");
    // Copy the data: the socket reuses its buffer.
    this.#input.push(Uint8Array.from(data));
    this.#pump();
  }

  drained(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#shell?.resume();
  }

  closed(): void {
    this.#socket = undefined;
    this.end("viewer");
  }

  #closeSocket(kind: EndKind): void {
    const [code, reason] = ENDINGS[kind];
    this.#socket?.close(code, reason);
  }

  #attach(): void {
    this.#shell = this.#shells.attach(this.name, {
      ...this.#size,
      output: (chunk) => this.#show(chunk),
      drained: () => {
        this.#writing = false;
        this.#pump();
      },
    });
    if (!this.#shell) return this.end("failed");
    void this.#shell.ended.then(() => this.end("shell"));
    this.#pump();
  }

  #show(chunk: Uint8Array): void {
    this.#activeAt = this.#clock.elapsed();
    if (this.#socket?.send(chunk) !== false || this.#paused) return;
    this.#paused = true;
    this.#shell?.pause();
  }

  /** Writes one piece at a time; the next once the shell has taken it. */
  #pump(): void {
    if (!this.#shell || this.#writing || this.#input.length === 0) return;
    const data = Buffer.concat(this.#input);
    this.#input = [];
    this.#inputBytes = 0;
    this.#writing = true;
    this.#shell.write(data);
  }

  #resize(text: string): void {
    const size = parseResize(text);
    if (!size) return this.end("message");
    this.#size = { columns: size.cols, rows: size.rows };
    this.#shell?.resize(size.cols, size.rows);
  }
}

function parseResize(text: string): Resize | undefined {
  const value = parsedJson(text);
  return Value.Check(Resize, value) ? value : undefined;
}
