// Who is asking. Made by authentication only; rules modules decide with it.

import { AppError } from "../../kit/error.ts";
import type { AuthKind, Role } from "../identity/schema.ts";

export interface Caller {
  readonly userId: number;
  readonly name: string;
  /**
   * Of now, not of when the request or turn began: a body may be on its way for hours. Ask for it inside the transaction that acts. Raises
   * `unauthenticated` once the credential is not valid. A copy made by spreading would keep the role of that moment: use `actingAs`.
   */
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

/** Raises `forbidden`, `unauthenticated`. */
export function requireAdmin(caller: Caller): void {
  if (caller.role !== "admin") throw new AppError("forbidden", "only an admin may do this");
}

/** An admin in person. What an agent does on an admin's behalf is not a person's decision. */
export function requirePerson(caller: Caller): void {
  if (caller.agent !== undefined)
    throw new AppError("forbidden", "only a person may do this, never an agent");
  requireAdmin(caller);
}

/** For what anyone signed in may do, inside the transaction that acts. Raises `unauthenticated` once the credential is not valid. */
export function requireSignedIn(caller: Caller): void {
  void caller.role;
}

/** The caller as they are now, address and role included, for a record that is written later; undefined once their credential is not valid. */
export function rememberedCaller(caller: Caller): Caller | undefined {
  const address = caller.address();
  try {
    return { ...caller, role: caller.role, address: () => address };
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return undefined;
    throw error;
  }
}

/** An agent acting for the caller in a turn: with the caller's rights, whatever they are when asked. */
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
