// WebSockets behind the common guard: a route that has admitted its caller takes over the connection. A sender is told to pause when the reader
// is slow, and a socket far behind is closed.

import type { Server, WebSocketHandler } from "bun";
import { AppError } from "../error.ts";

const MESSAGE_BYTES_MAX = 64 * 1024;
const UNSENT_BYTES_MAX = 4 * 1024 * 1024;
/** Without traffic from the other side; Bun sends pings. */
const SILENCE_SECONDS_MAX = 120;
/** RFC 6455, 5.5: a control frame's payload is at most 125 bytes, two of them the code. */
const REASON_BYTES_MAX = 123;

export interface Socket {
  /** Returns false if the reader is behind: send nothing until `drained`. */
  send(data: Uint8Array | string): boolean;
  /** Codes of RFC 6455, 7.4. */
  close(code: number, reason: string): void;
}

export interface SocketHandlers {
  opened(socket: Socket): void;
  message(data: string | Uint8Array): void;
  drained(): void;
  closed(): void;
}

/** Raises `invalid` unless the request asks for a WebSocket. */
export function upgrade(server: Server<SocketHandlers>, request: Request, handlers: SocketHandlers): void {
  if (!server.upgrade(request, { data: handlers })) {
    throw new AppError("invalid", "this address requires a WebSocket upgrade");
  }
}

export const socketHandler: WebSocketHandler<SocketHandlers> = {
  maxPayloadLength: MESSAGE_BYTES_MAX,
  backpressureLimit: UNSENT_BYTES_MAX,
  closeOnBackpressureLimit: true,
  idleTimeout: SILENCE_SECONDS_MAX,
  sendPings: true,
  perMessageDeflate: false,
  open: (socket) =>
    socket.data.opened({
      send: (data) => socket.send(data) > 0,
      close: (code, reason) => socket.close(code, bounded(reason)),
    }),
  message: (socket, data) => socket.data.message(data),
  drain: (socket) => socket.data.drained(),
  close: (socket) => socket.data.closed(),
};

function bounded(reason: string): string {
  let text = reason;
  while (Buffer.byteLength(text) > REASON_BYTES_MAX) text = text.slice(0, -1);
  return text;
}
