// Server-sent events (WHATWG HTML, 9.2): `id:`, `event:`, one JSON `data:` line, heartbeat comments.
//
// A viewer that reads too slowly is disconnected at a buffer limit: stored events have ids, so it reconnects with Last-Event-ID and misses
// nothing. A failure inside a stream is sent as an `error` event, because a plain end would look like success.

import { AppError } from "../error.ts";
import { accepts } from "./accepts.ts";
import type { Exchange } from "./exchange.ts";
import { SECURITY_HEADERS } from "./answer.ts";

const HEARTBEAT_MS = 15_000;
/** The buffer limit of a viewer; one more event may exceed it. */
const BUFFER_BYTES_MAX = 8 * 1024 * 1024;
/** A viewer is drained when less than this is waiting for it. */
const DRAINED_BYTES_WAITING = 256 * 1024;
/** The polling interval for a drained viewer. A notification would cost every event a promise, and few senders wait. */
const DRAINED_CHECK_MS = 5;
/** The time for a viewer to read the rest of an ended stream, before its connection is closed. */
const LAST_READ_SECONDS = 10;

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(": heartbeat\n\n");

/** Encodes an event once for all viewers. */
export type Frame = Uint8Array;

export function frame(event: string, data: unknown, id?: number): Frame {
  return frameOfJson(event, JSON.stringify(data), id);
}

/** As `frame`, for JSON text. It has no raw line breaks, so it fits into one `data:` line. */
export function frameOfJson(event: string, json: string, id?: number): Frame {
  return encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`);
}

/** Reports whether the client asks for an event stream in place of JSON. */
export function wantsStream({ headers }: Exchange): boolean {
  return accepts(headers["accept"] ?? "", "text/event-stream");
}

/**
 * Returns the event after which a stream resumes. `Last-Event-ID` takes precedence over `after`, because a reconnecting browser repeats its first
 * URL. Null if neither is given. Raises `invalid`.
 */
export function resumeFrom(exchange: Exchange, after: number | undefined): number | null {
  const header = exchange.headers["last-event-id"];
  if (header === undefined || header === "") return after ?? null;
  const id = Number(header);
  if (Number.isSafeInteger(id) && id >= 0) return id;
  throw new AppError("invalid", "header Last-Event-ID: expected the ID of an event");
}

export interface Viewer {
  /** Returns false if the viewer has disconnected or was disconnected. */
  send(frame: Frame): boolean;
  /** Resolves when most sent data is read; to false if the viewer has disconnected. For long histories. */
  drained(): Promise<boolean>;
  /** Ends the stream cleanly. */
  end(): void;
}

/** Ends a failed stream with an `error` event, because a plain end would look complete. The caller logs the cause. */
export function breakOff(viewer: Viewer): void {
  const message = "internal error: the stream was interrupted; reconnect with Last-Event-ID";
  viewer.send(frame("error", { message }));
  viewer.end();
}

/** The open streams of one server, so that shutdown can end them. */
export class Streams {
  readonly #open = new Set<Viewer>();
  readonly #heartbeatMs: number;

  constructor(heartbeatMs: number = HEARTBEAT_MS) {
    this.#heartbeatMs = heartbeatMs;
  }

  get size(): number {
    return this.#open.size;
  }

  endAll(): void {
    for (const viewer of this.#open) viewer.end();
  }

  /** Answers with an event stream. `start` receives the viewer and returns a function to call when it disconnects. */
  answer(exchange: Exchange, start: (viewer: Viewer) => () => void): Response {
    const headers = {
      ...SECURITY_HEADERS,
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
      // Closes the connection with the stream: it has no other request.
      Connection: "close",
      "X-Request-Id": exchange.id,
    };
    if (exchange.method === "HEAD") return new Response(null, { headers });
    exchange.keepOpen();
    const outlet = new Outlet();
    const close = this.#connect(exchange, outlet, start);
    const source: Bun.DirectUnderlyingSource<Frame> = {
      type: "direct",
      pull: (controller) => outlet.open(controller),
      cancel: close,
    };
    const body = new ReadableStream<Frame>(source as unknown as UnderlyingDefaultSource<Frame>);
    return new Response(body, { headers });
  }

  /** Returns the function to call when the viewer disconnects. */
  #connect(exchange: Exchange, outlet: Outlet, start: (viewer: Viewer) => () => void): () => void {
    let open = true;
    let stop = () => {};
    const close = () => {
      if (!open) return;
      open = false;
      clearInterval(heartbeat);
      this.#open.delete(viewer);
      stop();
      outlet.close();
    };
    const viewer: Viewer = {
      send: (chunk) => {
        if (!open) return false;
        if (outlet.waiting < BUFFER_BYTES_MAX) {
          outlet.write(chunk);
          return true;
        }
        viewer.end();
        return false;
      },
      drained: async () => {
        for (;;) {
          if (!open || outlet.waiting < DRAINED_BYTES_WAITING) return open;
          await Bun.sleep(DRAINED_CHECK_MS);
        }
      },
      end: () => {
        if (!open) return;
        // First: it has no effect on a connection whose answer is complete.
        exchange.closeAfter(LAST_READ_SECONDS);
        close();
      },
    };
    const heartbeat = setInterval(() => viewer.send(HEARTBEAT), this.#heartbeatMs);
    this.#open.add(viewer);
    // Bun holds back the headers until the first byte: without one, the viewer of a quiet workspace would not connect.
    viewer.send(HEARTBEAT);
    stop = start(viewer);
    if (!open) stop();
    return close;
  }
}

/** Writes to one connection, and counts the bytes that it has not taken yet. */
class Outlet {
  #controller: ReadableStreamDirectController | undefined;
  /** Sent before the connection asked for the body. */
  readonly #early: Frame[] = [];
  #waiting = 0;
  #drained: Promise<number> | undefined;
  #isClosed = false;

  get waiting(): number {
    return this.#waiting;
  }

  open(controller: ReadableStreamDirectController): void {
    this.#controller = controller;
    this.#waiting = 0;
    for (const early of this.#early.splice(0)) this.write(early);
    if (this.#isClosed) controller.close();
  }

  write(sent: Frame): void {
    if (!this.#controller) {
      this.#early.push(sent);
      this.#waiting += sent.byteLength;
      return;
    }
    const written = this.#controller.write(sent);
    if (typeof written === "number") this.#controller.flush();
    else this.#wait(sent.byteLength, written);
  }

  close(): void {
    this.#isClosed = true;
    this.#controller?.close();
  }

  /** `drained`: resolves when the connection has taken everything. */
  #wait(bytes: number, drained: Promise<number>): void {
    this.#waiting += bytes;
    if (drained === this.#drained) return;
    this.#drained = drained;
    const taken = () => {
      if (drained === this.#drained) this.#waiting = 0;
    };
    drained.then(taken, taken);
  }
}
