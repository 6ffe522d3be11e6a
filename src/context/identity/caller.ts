// Who does something, as every rule gets it: with the rights as they are when it asks for them.

import { AppError } from "../../kit/error.ts";
import type { Rights } from "../access/rights.ts";
import type { Role } from "../access/schema.ts";
import type { AuthKind } from "./schema.ts";

export interface Caller {
  readonly name: string;
  readonly auth: AuthKind;
  /** At the time when they came in: for the record. What they may is in `rights`. */
  readonly role: Role;
  /** Of now, not of when the request began: inside a write those that the write acts under. Raises `unauthenticated` once the credential is not valid. */
  readonly rights: Rights;
  /** Of the credential that was presented; null: none was needed. */
  readonly tokenId: number | null;
  /** Found out only when it is written down. */
  readonly address: () => string;
  readonly requestId: string;
}

/** Raises `forbidden`. */
export function requireAdmin(caller: Caller): void {
  if (caller.rights.role !== "admin") throw new AppError("forbidden", "only an admin may do that");
}
