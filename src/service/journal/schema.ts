// The shape of an event, and of the maps in which features declare the data of theirs.

import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";

/** The schema of `data` by event type, as a feature's `events.ts` declares it. */
export type EventMap = Readonly<Record<string, TSchema>>;

export type TypeIn<Events extends EventMap> = keyof Events & string;
export type DataOf<Events extends EventMap, T extends TypeIn<Events>> = Static<Events[T]>;

/** The `data:` of an event as viewers receive it; `id:` carries its number, ascending per workspace, and `event:` its type. */
export interface EventEnvelope<Data = unknown> {
  readonly turn_id: number | null;
  /** RFC 3339, UTC; absent from events that are not stored. */
  readonly time?: string;
  readonly data: Data;
}

/** The boolean `field` of an event of `type` becomes false once a later event of the same turn has one of the types in `by`. */
export interface Superseded {
  readonly type: string;
  readonly by: readonly string[];
  readonly field: string;
}

export const EventsQuery = closed({ after: Type.Optional(Type.Integer({ minimum: 0 })) });
