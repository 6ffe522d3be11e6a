// Webhooks, which send signed events, and the log of their deliveries.

import { Type, type Static } from "@sinclair/typebox";
import { EVENTS_KEPT } from "../events/schema.ts";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";

export const WEBHOOKS_MAX = 100;
export const URL_CHARACTERS_MAX = 2_048;
export const DELIVERIES_KEPT = 1_000;
/** A webhook for more spaces is one for all of them. */
const SPACES_PER_WEBHOOK_MAX = 100;

export const Webhook = closed({
  id: Id,
  url: Type.String(),
  events: Type.Array(Type.String({ description: "a type, `file.*`, or `*`" })),
  spaces: nullable(
    Type.Array(Type.String(), {
      description: "sends events of these spaces only; null: of all spaces and of the server itself",
    }),
  ),
  enabled: Type.Boolean(),
  problem: nullable(Type.String({ description: "why an enabled webhook receives nothing" })),
  dropped: Type.Integer({
    description: `events that it missed because it lagged more than ${EVENTS_KEPT} events behind`,
  }),
  created_by: Type.String(),
  created_at: Time,
});
export type Webhook = Static<typeof Webhook>;

export const CreatedWebhook = closed({
  ...Webhook.properties,
  secret: Type.String({ description: "shown once" }),
});
export type CreatedWebhook = Static<typeof CreatedWebhook>;

const Subscriptions = Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 50 });
const SpaceNames = nullable(
  Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: SPACES_PER_WEBHOOK_MAX,
    uniqueItems: true,
  }),
);
const Target = Type.String({ maxLength: URL_CHARACTERS_MAX });
export const CreateWebhook = closed({
  url: Target,
  events: Type.Optional(Subscriptions),
  spaces: Type.Optional(SpaceNames),
});
export type CreateWebhook = Static<typeof CreateWebhook>;
export const UpdateWebhook = closed({
  url: Type.Optional(Target),
  events: Type.Optional(Subscriptions),
  spaces: Type.Optional(SpaceNames),
  enabled: Type.Optional(Type.Boolean()),
});
export type UpdateWebhook = Static<typeof UpdateWebhook>;

const deliveryStates = ["waiting", "sent", "failed"] as const;
export const Delivery = closed({
  id: Type.String(),
  webhook: Id,
  type: Type.String(),
  state: oneOf(deliveryStates),
  tries: Type.Integer({ description: "attempts so far, also while waiting for the next one" }),
  status: nullable(Type.Integer({ description: "HTTP status of the last response" })),
  error: nullable(Type.String()),
  created_at: Time,
});
export type Delivery = Static<typeof Delivery>;
export const DeliveryParams = closed({ delivery: Type.String() });

/** `lag`: events that it has not looked at yet. */
export type HookState = Webhook & { readonly lag: number; readonly last: Delivery | null };

/** One line of `webhooks/dead-letter.jsonl`. */
export const DeadLetter = closed({
  time: Time,
  delivery: Type.String(),
  webhook: Id,
  url: Type.String(),
  tries: Type.Integer(),
  error: Type.String(),
  body: Type.String(),
});
export type DeadLetter = Static<typeof DeadLetter>;
