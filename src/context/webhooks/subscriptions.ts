// Matches event types against the subscriptions of a webhook: exact types, groups such as `file.*`, or `*`.

import { fieldError } from "../../kit/error.ts";
import { eventTypes } from "../events/schema.ts";

export function subscribes(subscriptions: readonly string[], type: string): boolean {
  return subscriptions.some(
    (one) => one === "*" || one === type || (one.endsWith(".*") && type.startsWith(one.slice(0, -1))),
  );
}

/** Raises `invalid` for a subscription that can never match. */
export function checkSubscriptions(subscriptions: readonly string[]): void {
  const unknown = subscriptions.find((one) => !eventTypes.some((type) => subscribes([one], type)));
  if (unknown !== undefined)
    throw fieldError(
      "invalid",
      "events",
      `"${unknown}": expected an event type, a group such as file.*, or *`,
    );
}
