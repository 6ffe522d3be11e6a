// HTTP for workspaces.

import { Elysia } from "elysia";
import { fromPath } from "../../kit/http/text-params.ts";
import { Type } from "@sinclair/typebox";
import { Empty, IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import { CloneWorkspace, CreateWorkspace, TeamParams, UpdateWorkspace, Workspace } from "./schema.ts";
import type { Workspaces } from "./workspaces.ts";

export function workspaceRoutes(
  plugin: Admission,
  workspaces: Workspaces,
  stopTurns: (workspaceId: number) => Promise<void>,
) {
  return new Elysia({ name: "workspaces", normalize: false, prefix: "/workspaces", tags: ["workspaces"] })
    .use(plugin)
    .get("", ({ caller }) => workspaces.list(caller), { caller: "any", response: Type.Array(Workspace) })
    .post(
      "",
      ({ caller, body, status }) => workspaces.create(caller, body).then((made) => status(201, made)),
      {
        caller: "any",
        body: CreateWorkspace,
        response: { 201: Workspace },
      },
    )
    .get("/:id", ({ caller, params }) => workspaces.get(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Workspace,
    })
    .patch("/:id", ({ caller, params, body }) => workspaces.setBudget(caller, params.id, body.budget!), {
      caller: "owner",
      params: fromPath(IdParams),
      body: UpdateWorkspace,
      response: Workspace,
    })
    .delete("/:id", ({ caller, params }) => workspaces.remove(caller, params.id, stopTurns), {
      caller: "owner",
      params: fromPath(IdParams),
      response: Empty,
    })
    .post(
      "/:id/clone",
      ({ caller, params, body, status }) =>
        workspaces.clone(caller, params.id, body ?? {}).then((made) => status(201, made)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        body: Type.Optional(CloneWorkspace),
        response: { 201: Workspace },
      },
    )
    .put("/:id/teams/:team_id", ({ caller, params }) => workspaces.share(caller, params.id, params.team_id), {
      caller: "lead",
      params: fromPath(TeamParams),
      response: Workspace,
    })
    .delete(
      "/:id/teams/:team_id",
      ({ caller, params }) => workspaces.unshare(caller, params.id, params.team_id),
      {
        caller: "lead",
        params: fromPath(TeamParams),
        response: Empty,
      },
    );
}
