// HTTP for spaces: records, limits, sync rules, snapshots.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { Snapshot, SNAPSHOT_NAME_CHARACTERS_MAX } from "../files/schema.ts";
import type { ActorPlugin } from "../people/plugin.ts";
import {
  CreateSpace,
  DeletedSpace,
  DeleteSpaceQuery,
  EffectiveQuotas,
  Quotas,
  Space,
  SpaceParams,
  SyncRules,
} from "./schema.ts";
import type { Spaces } from "./spaces.ts";

export function spaceRoutes(plugin: ActorPlugin, spaces: Spaces) {
  return new Elysia({ name: "spaces", normalize: false, tags: ["spaces"] })
    .use(plugin)
    .get("/spaces", async ({ actor }) => spaces.list(actor), { actor: "any", response: Type.Array(Space) })
    .post("/spaces", async ({ actor, body, status }) => status(201, await spaces.create(actor, body)), {
      actor: "admin",
      body: CreateSpace,
      response: { 201: Space },
    })
    .get("/spaces/:space", async ({ actor, params }) => spaces.get(actor, params.space), {
      actor: "space",
      params: SpaceParams,
      response: Space,
    })
    .delete(
      "/spaces/:space",
      async ({ actor, params, query }) => spaces.remove(actor, params.space, query.confirm),
      {
        actor: "admin",
        params: SpaceParams,
        query: DeleteSpaceQuery,
        response: DeletedSpace,
      },
    )
    .put(
      "/spaces/:space/quotas",
      async ({ actor, params, body }) => spaces.setQuotas(actor, params.space, body),
      {
        actor: "lead",
        params: SpaceParams,
        body: Quotas,
        response: EffectiveQuotas,
      },
    )
    .get("/spaces/:space/sync", async ({ actor, params }) => spaces.sync(actor, params.space), {
      actor: "space",
      params: SpaceParams,
      response: SyncRules,
    })
    .put(
      "/spaces/:space/sync",
      async ({ actor, params, body }) => spaces.setSync(actor, params.space, body),
      {
        actor: "lead",
        params: SpaceParams,
        body: SyncRules,
        response: SyncRules,
      },
    )
    .get("/spaces/:space/snapshots", async ({ actor, params }) => spaces.snapshots(actor, params.space), {
      actor: "space",
      params: SpaceParams,
      response: Type.Array(Snapshot),
    })
    .post(
      "/spaces/:space/snapshots",
      async ({ actor, params, body, status }) =>
        status(201, await spaces.snapshot(actor, params.space, body.name)),
      {
        actor: "lead",
        params: SpaceParams,
        body: closed({ name: Type.String({ minLength: 1, maxLength: SNAPSHOT_NAME_CHARACTERS_MAX }) }),
        response: { 201: Snapshot },
      },
    );
}
