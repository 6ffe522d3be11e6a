// Builds people: authentication, logins, users and the access rules of each.

import { ClientAddresses } from "../../kit/http/client-address.ts";
import { RateLimit } from "../../kit/http/rate.ts";
import type { Ground } from "../ground.ts";
import { AccessRules } from "./access-rules.ts";
import { Account } from "./account.ts";
import { Authentication } from "./authentication.ts";
import { Changes } from "./changes.ts";
import { Logins } from "./logins.ts";
import { PeopleRecords } from "./records.ts";
import { sessionStore } from "./session-store.ts";
import { Sessions } from "./sessions.ts";
import { peopleStore } from "./store.ts";
import { Users, type UsersDeps } from "./users.ts";

export function buildPeople(
  { db, clock, log, config, audit, events }: Ground,
  { spaceExists }: Pick<UsersDeps, "spaceExists">,
) {
  const { tokenTtlDays, rateLimit } = config;
  const store = peopleStore(db);
  const addresses = new ClientAddresses("listen.trusted_proxies", config.trustedProxies);
  const records = new PeopleRecords(store, clock, tokenTtlDays);
  const authentication = new Authentication({ store, records, db, clock, log, addresses, tokenTtlDays });
  const sessions = new Sessions({ store, sessions: sessionStore(db), db, clock, log, addresses });
  const onCommitted = () => {
    authentication.forget();
    sessions.forget();
    events.rightsChanged();
  };
  const changes = new Changes({ db, audit, events, onCommitted });
  const loginLimit = rateLimit.enabled
    ? new RateLimit(clock, { perMinute: rateLimit.authPerMinute, of: "attempts" })
    : undefined;
  const shared = { store, records, changes, clock, sessions };
  const logins = new Logins({ ...shared, db, audit, loginLimit, addresses });
  const users = new Users({ ...shared, spaceExists });
  const rules = new AccessRules({ ...shared, authentication });
  const account = new Account(shared);
  return { account, addresses, authentication, sessions, changes, logins, users, rules };
}
