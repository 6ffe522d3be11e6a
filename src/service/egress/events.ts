// Events of permissions to search the web.

import { closed, Id } from "../../kit/schema.ts";
import { EgressGrant } from "./schema.ts";

export const grantEvents = {
  "grant.created": closed({ grant: EgressGrant }),
  "grant.removed": closed({ grant_id: Id }),
};
export type GrantEvents = typeof grantEvents;
