// HTTP for web search: status, grants, requests, decisions and the log.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { Empty, IdParams, PageQuery } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Grants } from "./grants.ts";
import { CreateGrant, DecideRequest, EgressGrant, EgressRequest, EgressStatus } from "./schema.ts";
import type { Searches } from "./searches.ts";

export function egressRoutes(plugin: Admission, grants: Grants, searches: Searches) {
  return new Elysia({ name: "egress", normalize: false, tags: ["egress"] })
    .use(plugin)
    .get("/egress/status", () => searches.status(), { caller: "any", response: EgressStatus })
    .post("/egress/off", ({ caller }) => searches.switchOff(caller), {
      caller: "admin",
      response: EgressStatus,
    })
    .get("/egress/pending", ({ caller }) => searches.pending(caller), {
      caller: "any",
      response: Type.Array(EgressRequest),
    })
    .post(
      "/egress/requests/:id/decision",
      ({ caller, params, body }) => searches.decide(caller, params.id, body),
      {
        caller: "admin",
        params: fromPath(IdParams),
        body: DecideRequest,
        response: EgressRequest,
      },
    )
    .get("/egress/log", ({ caller, query }) => searches.log(caller, query), {
      caller: "admin",
      query: fromText(PageQuery),
      response: Type.Array(EgressRequest),
    })
    .get("/workspaces/:id/egress", ({ caller, params }) => grants.list(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Type.Array(EgressGrant),
    })
    .post(
      "/workspaces/:id/egress",
      ({ caller, params, body, status }) =>
        grants.create(caller, params.id, body.agent_id).then((made) => status(201, made)),
      {
        caller: "admin",
        params: fromPath(IdParams),
        body: CreateGrant,
        response: { 201: EgressGrant },
      },
    )
    .delete("/egress-grants/:id", ({ caller, params }) => grants.remove(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Empty,
    });
}
