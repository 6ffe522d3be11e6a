// How much of a server the terminal interface may use over SSH, before and after people sign in.

import { MINUTE_MS } from "../../kit/clock.ts";

export interface SshLimits {
  /** Connections that have not signed in yet. */
  readonly strangersMax: number;
  /** From the connection to the sign-in. */
  readonly signInMs: number;
  /** From the sign-in to the terminal. */
  readonly openMs: number;
  readonly sessionsMax: number;
  readonly sessionsPerUserMax: number;
  /** Without a key or a click. */
  readonly idleMs: number;
  /** Between two looks at the list of keys while someone is connected: a removed key ends its sessions within this time. */
  readonly lookMs: number;
}

export const SSH_LIMITS: SshLimits = {
  strangersMax: 32,
  signInMs: 20_000,
  openMs: 20_000,
  sessionsMax: 32,
  sessionsPerUserMax: 4,
  idleMs: 15 * MINUTE_MS,
  lookMs: 2_000,
};
