// The authenticated caller of a request. Only authentication creates one; the rules modules decide by it.

import { AppError } from "../../kit/error.ts";
import type { AuthKind, Role } from "../identity/schema.ts";

export interface Caller {
  readonly userId: number;
  readonly name: string;
  /**
   * The current role, not the one at the start of the request or turn: a body can take hours to arrive. Read it inside the transaction that
   * acts. Raises `unauthenticated` once the credential is no longer valid. Spreading a caller freezes its role: use `actingAs`.
   */
  readonly role: Role;
  readonly auth: AuthKind;
  /** The presented token; null with the loopback privilege. */
  readonly tokenId: number | null;
  readonly requestId: string;
  /** The peer address, for the audit. Lazy: most requests record nothing. */
  readonly address: () => string;
  /** The agent acting for the caller in a turn; undefined when the person acts directly. */
  readonly agent?: string;
  /** The turn in which that agent acts. */
  readonly turnId?: number;
}

/** Raises `forbidden`, `unauthenticated`. */
export function requireAdmin(caller: Caller): void {
  if (caller.role !== "admin") throw new AppError("forbidden", "only an admin may do this");
}

/** Requires an admin in person: an agent acting for an admin does not count. Raises `forbidden`, `unauthenticated`. */
export function requirePerson(caller: Caller): void {
  if (caller.agent !== undefined)
    throw new AppError("forbidden", "only a person may do this, never an agent");
  requireAdmin(caller);
}

/** Call it inside a transaction that any signed-in caller may run. Raises `unauthenticated` once the credential is no longer valid. */
export function requireSignedIn(caller: Caller): void {
  void caller.role;
}

/** Freezes the caller's address and role for a record written later. Undefined once their credential is no longer valid. */
export function rememberedCaller(caller: Caller): Caller | undefined {
  const address = caller.address();
  try {
    return { ...caller, role: caller.role, address: () => address };
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return undefined;
    throw error;
  }
}

/** Returns an agent acting for the caller in a turn. It has whatever rights the caller has at the time of each check. */
export function actingAs(caller: Caller, agent: string, turnId: number): Caller {
  const { userId, name, auth, tokenId, requestId, address } = caller;
  return {
    userId,
    name,
    auth,
    tokenId,
    requestId,
    address,
    agent,
    turnId,
    get role() {
      return caller.role;
    },
  };
}
