// HTTP for webhooks: admins create, test and manage them.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { fromPath } from "../../kit/http/text-params.ts";
import { Empty, IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
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

export function webhookRoutes(plugin: Admission, webhooks: Webhooks) {
  return new Elysia({ name: "webhooks", normalize: false, tags: ["webhooks"] })
    .use(plugin)
    .get("/webhooks", ({ caller }) => webhooks.list(caller), {
      caller: "admin",
      response: Type.Array(Webhook),
    })
    .post("/webhooks", async ({ caller, body, status }) => status(201, await webhooks.create(caller, body)), {
      caller: "admin",
      body: CreateWebhook,
      response: { 201: CreatedWebhook },
    })
    .get("/webhooks/dead-letter", ({ caller }) => webhooks.deadLetters(caller), {
      caller: "admin",
      response: Type.Array(DeadLetter),
    })
    .patch("/webhooks/:id", async ({ caller, params, body }) => webhooks.update(caller, params.id, body), {
      caller: "admin",
      params: fromPath(IdParams),
      body: UpdateWebhook,
      response: Webhook,
    })
    .post("/webhooks/:id/secret", async ({ caller, params }) => webhooks.rotateSecret(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: CreatedWebhook,
    })
    .delete("/webhooks/:id", async ({ caller, params }) => webhooks.remove(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Empty,
    })
    .post(
      "/webhooks/:id/test",
      async ({ caller, params, status }) => status(202, await webhooks.test(caller, params.id)),
      { caller: "admin", params: fromPath(IdParams), response: { 202: Delivery } },
    )
    .get("/webhooks/:id/deliveries", ({ caller, params }) => webhooks.deliveries(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Type.Array(Delivery),
    })
    .post(
      "/deliveries/:delivery/redeliver",
      async ({ caller, params, status }) => status(202, await webhooks.redeliver(caller, params.delivery)),
      { caller: "admin", params: DeliveryParams, response: { 202: Delivery } },
    );
}
