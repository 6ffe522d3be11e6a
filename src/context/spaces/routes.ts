// HTTP for spaces: records, limits, sync rules, snapshots.

import { Elysia, type HTTPHeaders } from "elysia";
import { Type } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { Snapshot, SNAPSHOT_NAME_CHARACTERS_MAX } from "../versioned-store/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Caller } from "../identity/caller.ts";
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

/** In a header, which has a limit. */
const UNOPENED_NAMES_MAX = 20;

const LISTED = { "x-headers": ["X-Service-Unopened"] as const };

export function spaceRoutes(plugin: Admission, spaces: Spaces) {
  return new Elysia({ name: "spaces", normalize: false, tags: ["spaces"] })
    .use(plugin)
    .get("/spaces", async ({ caller, set }) => listed(spaces, caller, set.headers), {
      caller: "any",
      response: Type.Array(Space),
      detail: LISTED,
    })
    .post("/spaces", async ({ caller, body, status }) => status(201, await spaces.create(caller, body)), {
      caller: "admin",
      body: CreateSpace,
      response: { 201: Space },
    })
    .get("/spaces/:space", async ({ caller, params }) => spaces.get(caller, params.space), {
      caller: "space",
      params: SpaceParams,
      response: Space,
    })
    .delete(
      "/spaces/:space",
      async ({ caller, params, query }) => spaces.remove(caller, params.space, query.confirm),
      {
        caller: "admin",
        params: SpaceParams,
        query: DeleteSpaceQuery,
        response: DeletedSpace,
      },
    )
    .put(
      "/spaces/:space/quotas",
      async ({ caller, params, body }) => spaces.setQuotas(caller, params.space, body),
      {
        caller: "lead",
        params: SpaceParams,
        body: Quotas,
        response: EffectiveQuotas,
      },
    )
    .get("/spaces/:space/sync", async ({ caller, params }) => spaces.sync(caller, params.space), {
      caller: "space",
      params: SpaceParams,
      response: SyncRules,
    })
    .put(
      "/spaces/:space/sync",
      async ({ caller, params, body }) => spaces.setSync(caller, params.space, () => body),
      {
        caller: "lead",
        params: SpaceParams,
        body: SyncRules,
        response: SyncRules,
      },
    )
    .get("/spaces/:space/snapshots", async ({ caller, params }) => spaces.snapshots(caller, params.space), {
      caller: "space",
      params: SpaceParams,
      response: Type.Array(Snapshot),
    })
    .post(
      "/spaces/:space/snapshots",
      async ({ caller, params, body, status }) =>
        status(201, await spaces.snapshot(caller, params.space, body.name)),
      {
        caller: "lead",
        params: SpaceParams,
        body: closed({ name: Type.String({ minLength: 1, maxLength: SNAPSHOT_NAME_CHARACTERS_MAX }) }),
        response: { 201: Snapshot },
      },
    );
}

async function listed(spaces: Spaces, caller: Caller, headers: HTTPHeaders): Promise<Space[]> {
  const { spaces: records, unopened } = await spaces.list(caller);
  const named = unopened.slice(0, UNOPENED_NAMES_MAX);
  if (named.length > 0) headers["x-service-unopened"] = named.join(",");
  return [...records];
}
