// Everything that happens in a workspace, as events: what each feature declares, in one map. Stored events come before their effect is
// visible; the transient ones are sent and not stored.

import { approvalEvents } from "./approvals/events.ts";
import { blueprintEvents } from "./blueprint/events.ts";
import { entryEvents } from "./conversation/events.ts";
import { grantEvents } from "./egress/events.ts";
import { fileEvents } from "./files/events.ts";
import { gearEvents } from "./gears/events.ts";
import type { DataOf, TypeIn } from "./journal/schema.ts";
import { instructionEvents } from "./library/events.ts";
import { streamedEvents, turnEvents } from "./turns/events.ts";
import { workspaceEnd, workspaceEvents } from "./workspaces/events.ts";

/** `data` of every type of event that is stored. */
export const storedEventData = {
  ...turnEvents,
  ...entryEvents,
  ...approvalEvents,
  ...blueprintEvents,
  ...gearEvents,
  ...grantEvents,
  ...fileEvents,
  ...instructionEvents,
  ...workspaceEvents,
};
type StoredType = TypeIn<typeof storedEventData>;

/** `data` of every type of event that is sent without an id. */
export const transientEventData = { ...streamedEvents, ...workspaceEnd };
type TransientType = TypeIn<typeof transientEventData>;

export const eventData = { ...storedEventData, ...transientEventData };
export type EventType = TypeIn<typeof eventData>;

/** An event with what its frame says beside `data:`. */
export type WorkspaceEvent =
  | {
      [T in StoredType]: {
        readonly id: number;
        readonly type: T;
        readonly turn_id: number | null;
        /** RFC 3339, UTC. */
        readonly time: string;
        readonly data: DataOf<typeof storedEventData, T>;
      };
    }[StoredType]
  | {
      [T in TransientType]: {
        readonly id: null;
        readonly type: T;
        readonly turn_id: number | null;
        /** Empty: it is of the moment. */
        readonly time: "";
        readonly data: DataOf<typeof transientEventData, T>;
      };
    }[TransientType];
