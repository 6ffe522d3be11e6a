// The caller that every rule receives. Its rights are always current.

import { AppError } from "../../kit/error.ts";
import type { Rights } from "../access/rights.ts";
import type { Role } from "../access/schema.ts";
import type { AuthKind } from "./schema.ts";

export interface Caller {
  readonly name: string;
  readonly auth: AuthKind;
  /** The role at admission, for the audit record. Decisions use `rights`. */
  readonly role: Role;
  /**
   * The rights now, not at the start of the request; inside a write, the rights that the write acts under. Raises `unauthenticated` once the
   * credential is no longer valid.
   */
  readonly rights: Rights;
  /** The id of the presented credential; null: none was needed. */
  readonly tokenId: number | null;
  /** The session of the console that the request belongs to. */
  readonly sessionId?: number;
  /** Resolved lazily, when it is recorded. */
  readonly address: () => string;
  readonly requestId: string;
}

export function isAdmin({ rights }: Caller): boolean {
  return rights.role === "admin";
}

/** Raises `forbidden`. */
export function requireAdmin(caller: Caller): void {
  if (!isAdmin(caller)) throw new AppError("forbidden", "only an admin may do that");
}
