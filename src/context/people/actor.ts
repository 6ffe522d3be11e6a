// Who does something, as every rule gets it: with the rights as they are at this request.

import { AppError } from "../../kit/error.ts";
import type { Rights } from "../access/rights.ts";
import type { authKinds } from "./schema.ts";

export interface Actor {
  readonly name: string;
  readonly auth: (typeof authKinds)[number];
  readonly rights: Rights;
  /** Of the credential that was presented; null: none was needed. */
  readonly tokenId: number | null;
  /** From then on the credential is not valid (ms); null: it does not age. */
  readonly validUntil: number | null;
  /** Found out only when it is written down. */
  readonly address: () => string;
  readonly requestId: string;
}

/** Raises `forbidden`. */
export function requireAdmin(actor: Actor): void {
  if (actor.rights.role !== "admin") throw new AppError("forbidden", "only an admin may do that");
}
