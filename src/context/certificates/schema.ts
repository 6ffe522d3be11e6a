// The records that the server keeps of its dealings with a certificate authority.

import { Type, type Static } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";

const Ms = Type.Integer({ description: "milliseconds since the epoch" });

/** The orders so far. Absent: none ended yet. */
export const OrderState = closed({
  /** Failures in a row. */
  failures: Type.Integer({ minimum: 0 }),
  last_error: Type.Union([Type.String(), Type.Null()]),
  last_attempt_at: Type.Union([Ms, Type.Null()]),
  next_attempt_at: Type.Union([Ms, Type.Null()]),
});
export type OrderState = Static<typeof OrderState>;

/** A TXT record in the domain's zone, with which a DNS-01 challenge is met. */
export const TxtRecord = closed({ name: Type.String(), value: Type.String() });
export type TxtRecord = Static<typeof TxtRecord>;

export const NO_ORDERS: OrderState = {
  failures: 0,
  last_error: null,
  last_attempt_at: null,
  next_attempt_at: null,
};
