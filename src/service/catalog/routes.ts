// HTTP for the catalog: providers, models.

import { Elysia } from "elysia";
import { fromPath } from "../../kit/http/text-params.ts";
import { Type } from "@sinclair/typebox";
import { Empty, IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Models } from "./models.ts";
import type { Providers } from "./providers.ts";
import {
  CreateModel,
  CreateProvider,
  Model,
  Provider,
  ProviderTest,
  UpdateModel,
  UpdateProvider,
} from "./schema.ts";

export function catalogRoutes(plugin: Admission, providers: Providers, models: Models) {
  return new Elysia({ name: "catalog", normalize: false, tags: ["catalog"] })
    .use(plugin)
    .get("/providers", () => providers.list(), { caller: "any", response: Type.Array(Provider) })
    .post(
      "/providers",
      ({ caller, body, status }) => providers.create(caller, body).then((provider) => status(201, provider)),
      {
        caller: "admin",
        body: CreateProvider,
        response: { 201: Provider },
      },
    )
    .patch("/providers/:id", ({ caller, params, body }) => providers.update(caller, params.id, body), {
      caller: "admin",
      params: fromPath(IdParams),
      body: UpdateProvider,
      response: Provider,
    })
    .delete("/providers/:id", ({ caller, params }) => providers.remove(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Empty,
    })
    .post("/providers/:id/test", ({ caller, params }) => providers.test(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: ProviderTest,
    })

    .get("/models", () => models.list(), { caller: "any", response: Type.Array(Model) })
    .post(
      "/models",
      ({ caller, body, status }) => models.create(caller, body).then((model) => status(201, model)),
      {
        caller: "any",
        body: CreateModel,
        response: { 201: Model },
      },
    )
    .patch("/models/:id", ({ caller, params, body }) => models.update(caller, params.id, body), {
      caller: "admin",
      params: fromPath(IdParams),
      body: UpdateModel,
      response: Model,
    })
    .delete("/models/:id", ({ caller, params }) => models.remove(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Empty,
    });
}
