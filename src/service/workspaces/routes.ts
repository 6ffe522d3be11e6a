// HTTP for workspaces.

import { Elysia } from "elysia";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { Type } from "@sinclair/typebox";
import { Empty, IdParams, isOn } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import {
  CloneWorkspace,
  CreateWorkspace,
  TeamParams,
  UpdateWorkspace,
  Workspace,
  WorkspacesQuery,
} from "./schema.ts";
import type { Workspaces } from "./workspaces.ts";

type StopTurns = (workspaceId: number) => Promise<void>;

export function workspaceRoutes(plugin: Admission, workspaces: Workspaces, stopTurns: StopTurns) {
  return new Elysia({ name: "workspace-routes", normalize: false })
    .use(plugin)
    .use(recordRoutes(plugin, workspaces, stopTurns))
    .use(sharingRoutes(plugin, workspaces));
}

function recordRoutes(plugin: Admission, workspaces: Workspaces, stopTurns: StopTurns) {
  return new Elysia({ name: "workspaces", normalize: false, prefix: "/workspaces", tags: ["workspaces"] })
    .use(plugin)
    .get(
      "",
      ({ caller, query: { archived } }) => workspaces.list(caller, isOn(archived) ? "archived" : "others"),
      { caller: "any", query: fromText(WorkspacesQuery), response: Type.Array(Workspace) },
    )
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
    .patch("/:id", ({ caller, params, body }) => workspaces.update(caller, params.id, body), {
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
    .post("/:id/archive", ({ caller, params }) => workspaces.archive(caller, params.id), {
      caller: "owner",
      params: fromPath(IdParams),
      response: Workspace,
    })
    .post("/:id/unarchive", ({ caller, params }) => workspaces.unarchive(caller, params.id), {
      caller: "owner",
      params: fromPath(IdParams),
      response: Workspace,
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
    );
}

function sharingRoutes(plugin: Admission, workspaces: Workspaces) {
  return new Elysia({ name: "sharing", normalize: false, prefix: "/workspaces", tags: ["workspaces"] })
    .use(plugin)
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
