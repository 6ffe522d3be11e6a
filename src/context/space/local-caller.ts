// The person at this machine, or an agent that acts for them: nobody signs in to a folder, and its owner has every right in it.

import { Rights } from "../access/rights.ts";
import type { Caller } from "../identity/caller.ts";

export function localCaller(person: string): Caller {
  return {
    name: person,
    auth: "local",
    role: "admin",
    rights: new Rights("admin", null, []),
    tokenId: null,
    address: () => "",
    requestId: "",
  };
}
