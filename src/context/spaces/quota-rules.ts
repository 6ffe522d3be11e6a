// The limits in force for a space. A space may lower the server's limits, but only an admin may raise them. Each limit records who set it, in
// which role, so that a later change of that role has no effect.

import { fieldError } from "../../kit/error.ts";
import type { Caller } from "../identity/caller.ts";
import type { EffectiveQuotas, QuotaOrigin, QuotaOrigins, Quotas, SpaceFile } from "./schema.ts";

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
 * Returns the limits of a space after the caller set them; 0 or absent: the server's. A lead may only lower limits: those of the server, and those
 * that an admin set for the space, which apply again if the lead leaves them out. Raises `forbidden` with `quota, asked, limit`.
 */
export function quotasSetBy(
  caller: Caller,
  space: string,
  { server, before, asked }: { server: EffectiveQuotas; before: Own; asked: Quotas },
): Own {
  const isAdmin = caller.rights.has("admin", space);
  const quotas: Quotas = {};
  const origins: QuotaOrigins = {};
  for (const quota of quotaNames) {
    const limit = isAdmin
      ? ofAdmin(caller, asked[quota])
      : ofLead(caller, quota, asked[quota], { server: server[quota], admin: adminLimit(before, quota) });
    if (!limit) continue;
    quotas[quota] = limit.value;
    origins[quota] = limit.origin;
  }
  return { quotas, quotas_set_by: origins };
}

type QuotaName = (typeof quotaNames)[number];
type Asked = number | undefined;

interface Limit {
  readonly value: number;
  readonly origin: QuotaOrigin;
}

function ofAdmin({ name }: Caller, value: Asked): Limit | undefined {
  return value ? { value, origin: { name, role: "admin" } } : undefined;
}

interface Above {
  readonly server: number;
  readonly admin: QuotaOrigin["admin"];
}

function ofLead(
  { name }: Caller,
  quota: QuotaName,
  value: Asked,
  { server, admin }: Above,
): Limit | undefined {
  const isLower = admin !== undefined && admin.limit < server;
  if (admin && (value === admin.limit || (!value && isLower)))
    return { value: admin.limit, origin: { name: admin.name, role: "admin" } };
  if (!value) return undefined;
  requireLower(quota, value, server, admin?.limit);
  return { value, origin: { name, role: "space-lead", ...(isLower && { admin }) } };
}

/** The last limit that an admin set for the space. */
function adminLimit({ quotas, quotas_set_by: setBy }: Own, quota: QuotaName): QuotaOrigin["admin"] {
  const origin = setBy?.[quota];
  if (origin?.role !== "admin") return origin?.admin;
  return { name: origin.name, limit: quotas![quota]! };
}

function requireLower(quota: QuotaName, asked: number, server: number, admin = Infinity): void {
  const limit = Math.min(server, admin);
  if (asked <= limit) return;
  const whose = admin < server ? `the limit of ${limit} that an admin set` : `the server's limit of ${limit}`;
  throw fieldError("forbidden", quota, `above ${whose}; only an admin may set a higher limit`, {
    quota,
    asked,
    limit,
  });
}
