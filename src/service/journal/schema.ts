// The shape of an event and of the maps in which features declare theirs. What each event carries is declared by the feature that appends it.

import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";

/** `data` by type of event, as a feature's `events.ts` declares it. */
export type EventMap = Readonly<Record<string, TSchema>>;

export type TypeIn<Events extends EventMap> = keyof Events & string;
export type DataOf<Events extends EventMap, T extends TypeIn<Events>> = Static<Events[T]>;

/** One event as viewers get it in `data:`; `id:` and `event:` carry its number (ascending per workspace) and type. */
export interface EventEnvelope<Data = unknown> {
  readonly turn_id: number | null;
  /** RFC 3339, UTC; absent in events that are not stored. */
  readonly time?: string;
  readonly data: Data;
}

/** Events of `type` of which a later event of the same turn, of one of the types in `by`, shows that their boolean `field` is false. */
export interface Superseded {
  readonly type: string;
  readonly by: readonly string[];
  readonly field: string;
}

export const EventsQuery = closed({ after: Type.Optional(Type.Integer({ minimum: 0 })) });
