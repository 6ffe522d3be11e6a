// Decides who may see an event, for streams and webhooks.

import type { Rights } from "../access/rights.ts";
import type { EventEnvelope } from "./schema.ts";

/**
 * File events require the right to list the file, and to read it if they say something of its content. Space events require seeing the space, and
 * all other events require an admin.
 */
export function maySee(rights: Rights, { type, space, path }: EventEnvelope): boolean {
  if (space === null) return rights.role === "admin";
  if (path === null) return rights.sees(space);
  return rights.may("list", space, path) && (type !== "freshness.stale" || rights.may("read", space, path));
}
