// Merges the events that the features declare into one map. A stored event precedes its visible effect; a transient one is sent but not stored.

import { approvalEvents } from "./approvals/events.ts";
import { blueprintEvents } from "./blueprint/events.ts";
import { entryEvents } from "./conversation/events.ts";
import { grantEvents } from "./egress/events.ts";
import { fileEvents } from "./files/events.ts";
import { gearEvents } from "./gears/events.ts";
import type { DataOf, TypeIn } from "./journal/schema.ts";
import { instructionEvents } from "./library/events.ts";
import { contextEvents } from "./memory/events.ts";
import { streamedEvents, turnEvents } from "./turns/events.ts";
import { workspaceEnd, workspaceEvents } from "./workspaces/events.ts";

/** The schema of `data` of every stored event. */
export const storedEventData = {
  ...turnEvents,
  ...entryEvents,
  ...approvalEvents,
  ...blueprintEvents,
  ...gearEvents,
  ...grantEvents,
  ...fileEvents,
  ...instructionEvents,
  ...contextEvents,
  ...workspaceEvents,
};
type StoredType = TypeIn<typeof storedEventData>;

/** The schema of `data` of every transient event, which has no id. */
const transientEventData = { ...streamedEvents, ...workspaceEnd };
type TransientType = TypeIn<typeof transientEventData>;

export const eventData = { ...storedEventData, ...transientEventData };
export type EventType = TypeIn<typeof eventData>;

/** An event together with the other fields of its frame. */
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
        /** A transient event has no recorded time; a browser puts in when it arrived. */
        readonly time: string;
        readonly data: DataOf<typeof transientEventData, T>;
      };
    }[TransientType];
