// Matches events against the subscription of a webhook: exact types, groups such as `file.*`, or `*`; of every space, or of some.

import { fieldError } from "../../kit/error.ts";
import { eventTypes, type EventEnvelope } from "../events/schema.ts";
import { spacesOf } from "../people/space-names.ts";
import type { HookRow } from "./store.ts";

export interface Subscription {
  readonly types: readonly string[];
  /** Null: every space, and events that belong to none. */
  readonly spaces: ReadonlySet<string> | null;
}

export function subscriptionOf({ events, spaces }: Pick<HookRow, "events" | "spaces">): Subscription {
  const names = spacesOf(spaces);
  return { types: JSON.parse(events) as string[], spaces: names && new Set(names) };
}

export function subscribes(
  { types, spaces }: Subscription,
  { type, space }: Pick<EventEnvelope, "type" | "space">,
): boolean {
  if (spaces !== null && (space === null || !spaces.has(space))) return false;
  return types.some((one) => matches(one, type));
}

/** Raises `invalid` for a type that can never match. */
export function checkTypes(types: readonly string[]): void {
  const unknown = types.find((one) => !eventTypes.some((type) => matches(one, type)));
  if (unknown !== undefined)
    throw fieldError(
      "invalid",
      "events",
      `"${unknown}": expected an event type, a group such as file.*, or *`,
    );
}

function matches(wanted: string, type: string): boolean {
  return wanted === "*" || wanted === type || (wanted.endsWith(".*") && type.startsWith(wanted.slice(0, -1)));
}
