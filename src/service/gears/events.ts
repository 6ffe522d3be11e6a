// Events of gears and their bindings.

import { Type } from "@sinclair/typebox";
import { closed, Id } from "../../kit/schema.ts";
import { GearBinding, GearStatus } from "./schema.ts";

export const gearEvents = {
  "gear.bound": closed({ binding: GearBinding }),
  "gear.unbound": closed({ binding_id: Id }),
  "gear.updated": closed({
    gear_id: Id,
    name: Type.String(),
    status: GearStatus,
    version: Id,
    user: Type.String(),
  }),
  "gear.removed": closed({ gear_id: Id, name: Type.String(), user: Type.String() }),
};
export type GearEvents = typeof gearEvents;
