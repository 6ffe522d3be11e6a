// Events of permissions to search the web.

import { Type } from "@sinclair/typebox";
import { closed, Id } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";
import { EgressGrant } from "./schema.ts";

export const grantEvents = {
  "grant.created": closed({ grant: EgressGrant }),
  /** Events of earlier builds have only `grant_id`. */
  "grant.removed": closed({
    grant_id: Id,
    agent_id: Type.Optional(Id),
    by: Type.Optional(Type.String()),
    auth: Type.Optional(AuthKind),
  }),
};
export type GrantEvents = typeof grantEvents;
