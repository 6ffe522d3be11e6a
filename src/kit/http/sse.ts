// Server-sent events (WHATWG HTML, 9.2): `id:`, `event:`, one JSON `data:` line, heartbeat comments.
//
// A viewer that reads too slowly is cut off at a bounded buffer instead of growing it: stored events have ids, so it comes back
// with Last-Event-ID and misses nothing. A failure inside a stream is sent as an `error` event: just ending would look like success.

import { AppError } from "../error.ts";
import type { Exchange } from "./exchange.ts";
import { SECURITY_HEADERS } from "./answer.ts";

const HEARTBEAT_MS = 15_000;
/** Waiting for a viewer to read; one event more may come on top. */
const BUFFER_BYTES_MAX = 8 * 1024 * 1024;
/** A viewer counts as drained when so much of its buffer is free again. */
const DRAINED_BYTES_FREE = BUFFER_BYTES_MAX - 256 * 1024;
/** Between two looks at whether a viewer is drained. Being told would cost every event a promise, and few senders ask. */
const DRAINED_CHECK_MS = 5;
/** For a viewer to read what was sent before its stream was ended; then its connection is closed. */
const LAST_READ_SECONDS = 10;

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(": heartbeat\n\n");

/** One encoded event: made once, sent to every viewer. */
export type Frame = Uint8Array;

export function frame(event: string, data: unknown, id?: number): Frame {
  return frameOfJson(event, JSON.stringify(data), id);
}

/** As `frame`, for data that is JSON text already. JSON text has no raw line breaks, so one `data:` line holds it. */
export function frameOfJson(event: string, json: string, id?: number): Frame {
  return encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`);
}

/**
 * After which event a stream goes on. `Last-Event-ID` wins over `after`: a browser that reconnects repeats its first address. Null: neither is
 * given. Raises `invalid`.
 */
export function resumeFrom(exchange: Exchange, after: number | undefined): number | null {
  const header = exchange.headers["last-event-id"];
  if (header === undefined || header === "") return after ?? null;
  const id = Number(header);
  if (Number.isSafeInteger(id) && id >= 0) return id;
  throw new AppError("invalid", "header Last-Event-ID: expected the ID of an event");
}

export interface Viewer {
  /** False when the viewer is gone or was cut off. */
  send(frame: Frame): boolean;
  /** Resolves when most of what was sent has been read; false when the viewer is gone. For sending long histories. */
  drained(): Promise<boolean>;
  /** Ends the stream in good order. */
  end(): void;
}

/** Ends a stream that failed: its viewer is told, since a stream that only ended would look complete. The caller logs why. */
export function breakOff(viewer: Viewer): void {
  const message = "internal error: the stream was interrupted; reconnect with Last-Event-ID";
  viewer.send(frame("error", { message }));
  viewer.end();
}

/** Open streams of one server, so that shutdown can end them. */
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

  /** Answers with an event stream. `start` gets the viewer and returns what to do when it is gone. */
  answer(exchange: Exchange, start: (viewer: Viewer) => () => void): Response {
    exchange.keepOpen();
    let close = () => {};
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          close = this.#connect(exchange, controller, start);
        },
        cancel: () => close(),
      },
      { highWaterMark: BUFFER_BYTES_MAX, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    return new Response(body, {
      headers: {
        ...SECURITY_HEADERS,
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",
        // A stream that ends takes its connection with it: nothing else was asked for on it.
        Connection: "close",
        "X-Request-Id": exchange.id,
      },
    });
  }

  /** Returns what to call when the viewer is gone. */
  #connect(
    exchange: Exchange,
    controller: ReadableStreamDefaultController<Uint8Array>,
    start: (viewer: Viewer) => () => void,
  ): () => void {
    let open = true;
    let stop = () => {};
    const close = () => {
      if (!open) return;
      open = false;
      clearInterval(heartbeat);
      this.#open.delete(viewer);
      stop();
    };
    const isDrained = () => (controller.desiredSize ?? 0) > DRAINED_BYTES_FREE;
    const viewer: Viewer = {
      send: (chunk) => {
        if (!open) return false;
        if ((controller.desiredSize ?? 0) > 0) {
          controller.enqueue(chunk);
          return true;
        }
        viewer.end();
        return false;
      },
      drained: async () => {
        for (;;) {
          if (!open || isDrained()) return open;
          await Bun.sleep(DRAINED_CHECK_MS);
        }
      },
      end: () => {
        if (!open) return;
        close();
        controller.close();
        exchange.closeAfter(LAST_READ_SECONDS);
      },
    };
    const heartbeat = setInterval(() => viewer.send(HEARTBEAT), this.#heartbeatMs);
    this.#open.add(viewer);
    // The server holds the head of an answer back until its first byte: without one a viewer of a quiet workspace waits to be let in.
    viewer.send(HEARTBEAT);
    stop = start(viewer);
    if (!open) stop();
    return close;
  }
}
