// The limits in force for a space. A space may lower the server's limits, but only an admin may raise them. Each limit records who set it, in
// which role, so that a later change of that role has no effect.

import { fieldError } from "../../kit/error.ts";
import type { Caller } from "../identity/caller.ts";
import type { EffectiveQuotas, QuotaOrigins, Quotas, SpaceFile } from "./schema.ts";

const quotaNames = ["max_file_size", "max_space_size", "max_files"] as const;

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
 * Returns the limits of a space after the caller set them; 0 or absent: the server's. A lead may keep a limit that an admin set, but may not
 * exceed the server's. Raises `forbidden` with `quota, asked, limit`.
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
      throw fieldError(
        "forbidden",
        quota,
        `above the server's limit of ${limit}; only an admin may set a higher limit`,
        { quota, asked: value, limit },
      );
  }
  return { quotas: asked, quotas_set_by: origins };
}
