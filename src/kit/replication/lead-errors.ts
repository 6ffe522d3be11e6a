// The refusals of a node that led, or may have: the request that it refuses may have taken effect.

import { AppError } from "../error.ts";

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
