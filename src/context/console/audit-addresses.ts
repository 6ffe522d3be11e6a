// Addresses of the pages of the audit record.

import type { Crumb } from "./frame.tsx";

export const AUDIT = "/console/audit";
export const VERIFY = `${AUDIT}/verify`;
export const BREAKS = `${AUDIT}/breaks`;
export const ACKNOWLEDGE = `${AUDIT}/acknowledge`;
export const STATS = `${AUDIT}/stats`;
export const EXPORT = `${AUDIT}/export`;

export const AUDIT_CRUMBS: readonly Crumb[] = [{ label: "Audit", path: AUDIT }];

export function recordPath(seq: number): string {
  return `${AUDIT}/records/${seq}`;
}
