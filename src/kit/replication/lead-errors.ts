// The refusals of a node that led, or may have: the request that it refuses may have taken effect.

import { AppError, messageOf } from "../error.ts";

export function outOfTouch(): AppError {
  return new AppError(
    "unavailable",
    "this node cannot reach the object storage, and another one may lead; the request may or may not have taken effect: check, then try again",
    { reason: "out_of_touch" },
  );
}

export function noLongerLeads(): AppError {
  return new AppError(
    "unavailable",
    "this node no longer leads; the request may or may not have taken effect: check, then try again",
    { reason: "leads_no_more" },
  );
}

/** Why a node drops a change that the storage never takes. */
export function tooLargeFor(entry: Uint8Array, error: unknown): string {
  return `the object storage does not take an entry of ${entry.length} bytes, whose changes are dropped; raise its limit for a body: ${messageOf(error)}`;
}
