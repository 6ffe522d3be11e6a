// Callers for tests that call a service without HTTP.

import type { Caller } from "../../../src/service/identity/caller.ts";

/** The first person, with this role and a token. */
function callerAs(role: Caller["role"]): Caller {
  return {
    userId: 1,
    name: role,
    role,
    auth: "token",
    tokenId: 1,
    requestId: "r",
    address: () => "192.0.2.9",
  };
}

export const admin = callerAs("admin");
export const member = callerAs("member");
