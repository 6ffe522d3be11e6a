// Decides who may see an event, for streams and webhooks.

import type { Rights } from "../access/rights.ts";
import type { EventEnvelope, EventType } from "./schema.ts";

/** Events that say something of a file's content. */
const OF_CONTENT: ReadonlySet<EventType> = new Set(["freshness.stale", "secret.blocked"]);

/**
 * File events require the right to list the file, and to read it if they say something of its content. Space events require seeing the space, and
 * all other events require an admin.
 */
export function maySee(rights: Rights, { type, space, path }: EventEnvelope): boolean {
  if (space === null) return rights.role === "admin";
  if (path === null) return rights.sees(space);
  return OF_CONTENT.has(type) ? rights.shows(space, path) : rights.may("list", space, path);
}
