// Builds the web search feature with its three locks.

import type { Network } from "../../kit/network/outbound.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { Grants } from "./grants.ts";
import { Locks } from "./locks.ts";
import { BraveSearch } from "./search-client.ts";
import { Searches } from "./searches.ts";
import { egressStore } from "./store.ts";
import { egressTools } from "./tools.ts";

interface EgressNeeds {
  readonly access: Access;
  readonly blueprint: Blueprint;
  readonly conversation: Conversation;
  readonly network: Network;
}

export function buildEgress(
  { db, clock, log, config, background, audit, journal }: Ground,
  { access, blueprint, conversation, network }: EgressNeeds,
) {
  const store = egressStore(db);
  const locks = new Locks(store, config);
  const client = new BraveSearch(network, config.egressKey, log);
  const ruled = { db, store, access, journal, audit, clock, locks };
  const searches = new Searches({ ...ruled, conversation, background, log, client });
  const grants = new Grants({ ...ruled, blueprint, searches });
  return { searches, grants, egressTools: egressTools(locks, searches) };
}
