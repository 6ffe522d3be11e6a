// Whether a gear may run. Pure.

import type { Gear } from "../../src/service/gears/schema.ts";

/** The approval assumed isolation that is no longer available: the gear runs again after an admin approves it. */
export function isolationLost(gear: Pick<Gear, "approval" | "isolated">): boolean {
  return gear.approval?.isolated === true && !gear.isolated;
}
