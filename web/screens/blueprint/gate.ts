// Whether web searches are possible at this installation, and what the gate to the internet therefore says.

import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";

export const egressQuery = () =>
  createQuery(() => ({ key: ["egress-status"], read: () => take(api.egress.status.get()) }));

/** After the gate's name; undefined: no gate is drawn. */
export function gateNote(on: boolean, grants: number): string | undefined {
  if (on) return "asks";
  return grants > 0 ? "off" : undefined;
}
