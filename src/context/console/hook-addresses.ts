// Addresses of the pages of webhooks.

import type { Crumb } from "./frame.tsx";

export const HOOKS = "/console/webhooks";
export const DEAD_LETTERS = `${HOOKS}/dead-letters`;

export function hookPath(id: number, below = ""): string {
  return `${HOOKS}/${id}${below}`;
}

export function redeliverPath(delivery: string): string {
  return `${HOOKS}/deliveries/${encodeURIComponent(delivery)}/redeliver`;
}

export function hookCrumbs(id?: number): Crumb[] {
  const all = { label: "Webhooks", path: HOOKS };
  return id === undefined ? [all] : [all, { label: `Webhook ${id}`, path: hookPath(id) }];
}
