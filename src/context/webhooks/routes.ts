// HTTP for webhooks: admins make, test and look after them.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { fromPath } from "../../kit/http/text-params.ts";
import { Empty, IdParams } from "../../kit/schema.ts";
import type { ActorPlugin } from "../people/plugin.ts";
import {
  CreatedWebhook,
  CreateWebhook,
  DeadLetter,
  Delivery,
  DeliveryParams,
  UpdateWebhook,
  Webhook,
} from "./schema.ts";
import type { Webhooks } from "./webhooks.ts";

export function webhookRoutes(plugin: ActorPlugin, webhooks: Webhooks) {
  return new Elysia({ name: "webhooks", normalize: false, tags: ["webhooks"] })
    .use(plugin)
    .get("/webhooks", ({ actor }) => webhooks.list(actor), {
      actor: "admin",
      response: Type.Array(Webhook),
    })
    .post("/webhooks", async ({ actor, body, status }) => status(201, await webhooks.create(actor, body)), {
      actor: "admin",
      body: CreateWebhook,
      response: { 201: CreatedWebhook },
    })
    .get("/webhooks/dead-letter", ({ actor }) => webhooks.deadLetters(actor), {
      actor: "admin",
      response: Type.Array(DeadLetter),
    })
    .patch("/webhooks/:id", async ({ actor, params, body }) => webhooks.update(actor, params.id, body), {
      actor: "admin",
      params: fromPath(IdParams),
      body: UpdateWebhook,
      response: Webhook,
    })
    .post("/webhooks/:id/secret", async ({ actor, params }) => webhooks.rotateSecret(actor, params.id), {
      actor: "admin",
      params: fromPath(IdParams),
      response: CreatedWebhook,
    })
    .delete("/webhooks/:id", async ({ actor, params }) => webhooks.remove(actor, params.id), {
      actor: "admin",
      params: fromPath(IdParams),
      response: Empty,
    })
    .post(
      "/webhooks/:id/test",
      async ({ actor, params, status }) => status(202, await webhooks.test(actor, params.id)),
      { actor: "admin", params: fromPath(IdParams), response: { 202: Delivery } },
    )
    .get("/webhooks/:id/deliveries", ({ actor, params }) => webhooks.deliveries(actor, params.id), {
      actor: "admin",
      params: fromPath(IdParams),
      response: Type.Array(Delivery),
    })
    .post(
      "/deliveries/:delivery/redeliver",
      async ({ actor, params, status }) => status(202, await webhooks.redeliver(actor, params.delivery)),
      { actor: "admin", params: DeliveryParams, response: { 202: Delivery } },
    );
}
