// The status of the terminal, its one control message, and its limits.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable } from "../../kit/schema.ts";

export const SESSIONS_MAX = 8;
/** Time without a byte in either direction. */
export const IDLE_MINUTES_MAX = 30;
export const SESSION_HOURS_MAX = 12;
/** Limit of unread input; more ends the session. */
export const INPUT_BYTES_MAX = 256 * 1024;
const CELLS_MAX = 1000;

export const TerminalStatus = closed({
  /** Required to open a session with the loopback privilege; null with a credential. A proxy that passes handshakes on gets none. */
  ticket: nullable(Type.String()),
  /** Whether a session can be opened. */
  on: Type.Boolean(),
  /** Why it cannot, and what to do; null when it can. */
  reason: nullable(Type.String()),
  sessions: Type.Integer(),
  sessions_max: Type.Integer(),
});
export type TerminalStatus = Static<typeof TerminalStatus>;

export const TicketQuery = closed({
  ticket: Type.Optional(Type.String({ maxLength: 64, description: "of `GET /terminal/status`" })),
});

/** The WebSockets of this service, for the request guard. */
export const TERMINAL_PATHS = /^\/api\/v1\/(?:workspaces\/[0-9]+\/)?terminal$/;

/** The only text frame; all other traffic is bytes in both directions. */
export const Resize = closed({
  type: Type.Literal("resize"),
  cols: Type.Integer({ minimum: 1, maximum: CELLS_MAX }),
  rows: Type.Integer({ minimum: 1, maximum: CELLS_MAX }),
});
export type Resize = Static<typeof Resize>;
