// Whether a gear may run as it stands. Pure.

import type { Gear } from "../../src/service/gears/schema.ts";

/** The approval counted on isolation, which is gone: the gear does not run until an admin approves it again. */
export function isolationLost(gear: Pick<Gear, "approval" | "isolated">): boolean {
  return gear.approval?.isolated === true && !gear.isolated;
}
