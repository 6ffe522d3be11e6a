// The person for whom a turn acts, and their current rights. Nothing is cached: every check is a lookup, and a check inside a write holds for
// that write.

import { AppError } from "../../kit/error.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Caller } from "../identity/caller.ts";
import type { Role } from "../identity/schema.ts";
import type { Revocation } from "../people/users.ts";
import type { Access } from "../workspaces/access.ts";
import type { TurnStore } from "./store.ts";

interface StandingDeps {
  store: TurnStore;
  authentication: Authentication;
  access: Access;
}

type Found = { readonly role: Role } | { readonly problem: string };

export class Standing {
  readonly #deps: StandingDeps;

  constructor(deps: StandingDeps) {
    this.#deps = deps;
  }

  /** Makes the turn act for the caller, who starts or resumes it. Runs inside a write. */
  take(turnId: number, { userId, name, auth, tokenId, address, requestId }: Caller): void {
    this.#deps.store.setActing.run({
      id: turnId,
      acting_id: userId,
      acting_name: name,
      acting_auth: auth,
      acting_token_id: tokenId,
      acting_address: address(),
      acting_request_id: requestId,
    });
  }

  /** Returns the person for whom the turn acts. Their `role` raises `forbidden` once the turn may not continue. */
  callerOf(turnId: number): Caller {
    const row = this.#deps.store.acting.get(turnId)!;
    const require = () => this.require(turnId);
    return {
      userId: row.acting_id,
      name: row.acting_name,
      auth: row.acting_auth,
      tokenId: null,
      requestId: row.acting_request_id,
      address: () => row.acting_address,
      get role() {
        return require();
      },
    };
  }

  /** Returns the role of the turn's person. Raises `forbidden`, with the reason, when the turn may not continue. */
  require(turnId: number): Role {
    const found = this.#find(turnId);
    if ("role" in found) return found.role;
    throw new AppError("forbidden", `the turn may not continue: ${found.problem}`);
  }

  /** Returns why the turn may not continue, as a clause for people; undefined when it may. */
  problem(turnId: number): string | undefined {
    const found = this.#find(turnId);
    return "problem" in found ? found.problem : undefined;
  }

  /** Stops, inside the write that revokes credentials, open turns that act with them. */
  revoke({ userId, kept, reason }: Revocation): void {
    const { store } = this.#deps;
    if (kept === "none") store.stopOpen.run(reason, userId);
    else store.stopOpenOfOthers.run(reason, userId, kept.tokenId);
  }

  #find(turnId: number): Found {
    const { store, authentication, access } = this.#deps;
    const row = store.acting.get(turnId);
    if (!row || !access.exists(row.workspace_id)) return { problem: "its workspace was deleted" };
    if (row.stop_reason !== null) return { problem: row.stop_reason };
    const role = authentication.roleOfUser(row.acting_id);
    if (role === undefined) return { problem: `${row.acting_name} was deleted` };
    if (!access.sees({ userId: row.acting_id, role }, row.workspace_id))
      return { problem: `${row.acting_name} lost access to this workspace` };
    return { role };
  }
}
