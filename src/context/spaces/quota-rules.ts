// Which limits are in force for a space. Those of the server are the operator's: a space may have smaller ones, larger ones only when an admin
// set them. Each limit remembers who set it, so that the answer stays the same when that person's role changes.

import { AppError } from "../../kit/error.ts";
import type { Caller } from "../identity/caller.ts";
import type { EffectiveQuotas, QuotaOrigins, Quotas, SpaceFile } from "./schema.ts";

export const quotaNames = ["max_file_size", "max_space_size", "max_files"] as const;

type Own = Pick<SpaceFile, "quotas" | "quotas_set_by">;

export function quotasInForce(server: EffectiveQuotas, own: Own): EffectiveQuotas {
  const inForce = { ...server };
  for (const name of quotaNames) {
    const value = own.quotas?.[name];
    if (!value) continue;
    inForce[name] = own.quotas_set_by?.[name]?.role === "admin" ? value : Math.min(value, server[name]);
  }
  return inForce;
}

/**
 * The limits of a space after this person set them; 0 or absent: the server's. A lead may keep what an admin set, but set nothing above the
 * server's. Raises `forbidden` with `quota, asked, limit`.
 */
export function quotasSetBy(
  caller: Caller,
  space: string,
  server: EffectiveQuotas,
  before: Own,
  asked: Quotas,
): Own {
  const isAdmin = caller.rights.has("admin", space);
  const origins: QuotaOrigins = {};
  for (const quota of quotaNames) {
    const value = asked[quota];
    if (!value) continue;
    const limit = server[quota];
    const known = before.quotas_set_by?.[quota];
    if (!isAdmin && known?.role === "admin" && value === before.quotas?.[quota]) origins[quota] = known;
    else if (isAdmin || value <= limit)
      origins[quota] = { name: caller.name, role: isAdmin ? "admin" : "space-lead" };
    else
      throw new AppError(
        "forbidden",
        `${quota}: the server allows ${limit}; only an admin may set more for a space`,
        { quota, asked: value, limit },
      );
  }
  return { quotas: asked, quotas_set_by: origins };
}
