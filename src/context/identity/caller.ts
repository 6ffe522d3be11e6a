// The caller that every rule receives. Its rights are always current.

import { AppError } from "../../kit/error.ts";
import { Rights } from "../access/rights.ts";
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

type About = Pick<Caller, "address" | "requestId">;

/** A caller whose rights may change while it acts: `rightsNow` is asked each time. */
export function callerWith(
  who: Pick<Caller, "name" | "auth" | "role" | "tokenId" | "sessionId">,
  { address, requestId }: About,
  rightsNow: () => Rights,
): Caller {
  return {
    ...who,
    address,
    requestId,
    get rights() {
      return rightsNow();
    },
  };
}

/** Full rights everywhere: a person at this machine can access the data anyway. */
const ALL = new Rights("admin", null, []);
const NONE = new Rights("viewer", [], []);

/** The person at this machine, or an agent that acts for them. `about` is empty for a command that acts without a request. */
export function localCaller(
  name: string,
  { address, requestId }: About = { address: () => "", requestId: "" },
): Caller {
  return { name, auth: "local", role: ALL.role, rights: ALL, tokenId: null, address, requestId };
}

/** Someone who is not signed in, for the audit record. `rights`: of the account with that name. */
export function stranger(name: string, { address, requestId }: About, rights = NONE): Caller {
  return { name, auth: "none", role: rights.role, rights, tokenId: null, address, requestId };
}

export function isAdmin({ rights }: Caller): boolean {
  return rights.role === "admin";
}

/** Raises `forbidden`. */
export function requireAdmin(caller: Caller): void {
  if (!isAdmin(caller)) throw new AppError("forbidden", "only an admin may do that");
}
