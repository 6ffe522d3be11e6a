// Who is asking. Made by authentication only; rules modules decide with it.

import { AppError } from "../../kit/error.ts";
import type { AuthKind, Role } from "./schema.ts";

export interface Caller {
  readonly userId: number;
  readonly name: string;
  readonly role: Role;
  readonly auth: AuthKind;
  /** The token presented; null with the loopback privilege. */
  readonly tokenId: number | null;
  readonly requestId: string;
  /** Peer address, for the audit; asked for only when something is recorded. */
  readonly address: () => string;
  /** The agent that acts on the caller's behalf in a turn; undefined when the person acts directly. */
  readonly agent?: string;
  /** The turn in which that agent acts. */
  readonly turnId?: number;
}

export function requireAdmin(caller: Caller): void {
  if (caller.role !== "admin") throw new AppError("forbidden", "only an admin may do this");
}
