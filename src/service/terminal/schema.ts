// The terminal: its status, its one message besides bytes, and its limits.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable } from "../../kit/schema.ts";

export const SESSIONS_MAX = 8;
/** Without a byte in either direction. */
export const IDLE_MINUTES_MAX = 30;
export const SESSION_HOURS_MAX = 12;
/** Input that the shell has not read yet; more ends the session. */
export const INPUT_BYTES_MAX = 256 * 1024;
const CELLS_MAX = 1000;

export const TerminalStatus = closed({
  /** A session can be opened. */
  on: Type.Boolean(),
  /** Why not, and what to do; null when it can. */
  reason: nullable(Type.String()),
  sessions: Type.Integer(),
  sessions_max: Type.Integer(),
});
export type TerminalStatus = Static<typeof TerminalStatus>;

/** The only text frame that is understood; all other traffic is bytes, both ways. */
export const Resize = closed({
  type: Type.Literal("resize"),
  cols: Type.Integer({ minimum: 1, maximum: CELLS_MAX }),
  rows: Type.Integer({ minimum: 1, maximum: CELLS_MAX }),
});
export type Resize = Static<typeof Resize>;
