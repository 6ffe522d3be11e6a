// Builds the people feature: authentication, users, teams, and the record of refused requests.

import { ClientAddresses } from "../../kit/http/client-address.ts";
import { RateLimit } from "../../kit/http/rate.ts";
import { Refusals } from "../audit/refusals.ts";
import type { Ground } from "../ground.ts";
import { Authentication } from "./authentication.ts";
import { ServiceDoor } from "./door.ts";
import { LOGIN_ATTEMPTS_PER_MINUTE } from "./schema.ts";
import { peopleStore } from "./store.ts";
import { Teams } from "./teams.ts";
import { Users, type UsersDeps } from "./users.ts";

export function buildPeople(
  { db, clock, log, config, background, audit, journal }: Ground,
  { ownedWorkspaces, revoked }: Pick<UsersDeps, "ownedWorkspaces" | "revoked">,
) {
  const store = peopleStore(db);
  const addresses = new ClientAddresses("trusted_proxies", config.trustedProxies);
  const authentication = new Authentication({ store, db, clock, log, addresses });
  const refusals = new Refusals({ db, audit, background });
  const rightsChanged = () => journal.recheck();
  const users = new Users({
    db,
    store,
    ownedWorkspaces,
    authentication,
    audit,
    clock,
    refusals,
    loginLimit: new RateLimit(clock, { perMinute: LOGIN_ATTEMPTS_PER_MINUTE, of: "attempts" }),
    rightsChanged,
    revoked,
  });
  const teams = new Teams({ db, store, audit, clock, rightsChanged });
  return { addresses, authentication, door: new ServiceDoor(authentication), refusals, users, teams };
}
