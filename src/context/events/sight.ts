// Decides who may see an event: the one answer for streams and webhooks.

import type { Rights } from "../access/rights.ts";
import type { EventEnvelope } from "./schema.ts";

/** Events of files: who may list the file. Of a space: who sees it. Of people and of the server: admins. */
export function maySee(rights: Rights, { space, path }: EventEnvelope): boolean {
  if (space === null) return rights.role === "admin";
  return path === null ? rights.sees(space) : rights.may("list", space, path);
}
