// Decides who may see an event, for streams and webhooks.

import type { Rights } from "../access/rights.ts";
import type { EventEnvelope } from "./schema.ts";

/** File events require the right to list the file, space events require seeing the space, and all other events require an admin. */
export function maySee(rights: Rights, { space, path }: EventEnvelope): boolean {
  if (space === null) return rights.role === "admin";
  return path === null ? rights.sees(space) : rights.may("list", space, path);
}
