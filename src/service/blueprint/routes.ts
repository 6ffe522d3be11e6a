// HTTP for agents and wires.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { ownTurn } from "../../kit/clock.ts";
import { fromPath } from "../../kit/http/text-params.ts";
import { Empty, IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Blueprint } from "./blueprint.ts";
import { Agent, CreateAgent, CreateWire, UpdateAgent, Wire } from "./schema.ts";

export function blueprintRoutes(plugin: Admission, blueprint: Blueprint) {
  return new Elysia({ name: "blueprint", normalize: false, tags: ["blueprint"] })
    .use(plugin)
    .get(
      "/workspaces/:id/agents",
      async ({ caller, params }) => {
        // Two hundred agents with long roles take a few milliseconds to read, check and send.
        await ownTurn();
        return blueprint.agents(caller, params.id);
      },
      { caller: "ws", params: fromPath(IdParams), response: Type.Array(Agent) },
    )
    .post(
      "/workspaces/:id/agents",
      ({ caller, params, body, status }) =>
        blueprint.createAgent(caller, params.id, body).then((made) => status(201, made)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        body: CreateAgent,
        response: { 201: Agent },
      },
    )
    .patch("/agents/:id", ({ caller, params, body }) => blueprint.updateAgent(caller, params.id, body), {
      caller: "ws",
      params: fromPath(IdParams),
      body: UpdateAgent,
      response: Agent,
    })
    .delete("/agents/:id", ({ caller, params }) => blueprint.removeAgent(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Empty,
    })
    .get(
      "/workspaces/:id/wires",
      async ({ caller, params }) => {
        await ownTurn();
        return blueprint.wires(caller, params.id);
      },
      { caller: "ws", params: fromPath(IdParams), response: Type.Array(Wire) },
    )
    .post(
      "/workspaces/:id/wires",
      ({ caller, params, body, status }) =>
        blueprint.createWire(caller, params.id, body).then((made) => status(201, made)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        body: CreateWire,
        response: { 201: Wire },
      },
    )
    .delete("/wires/:id", ({ caller, params }) => blueprint.removeWire(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Empty,
    });
}
