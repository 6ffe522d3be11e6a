// HTTP for the whole blueprint, current or as of a turn.

import { Elysia } from "elysia";
import { turnOfOthers } from "../../kit/clock.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import { BlueprintQuery, BlueprintRecord } from "./schema.ts";
import type { Snapshots } from "./snapshots.ts";

export function snapshotRoutes(plugin: Admission, snapshots: Snapshots) {
  return new Elysia({ name: "snapshot", normalize: false, tags: ["blueprint"] }).use(plugin).get(
    "/workspaces/:id/blueprint",
    async ({ caller, params, query }) => {
      // A large one takes a few milliseconds to read, check and send.
      await turnOfOthers();
      return snapshots.get(caller, params.id, query.at);
    },
    {
      caller: "ws",
      params: fromPath(IdParams),
      query: fromText(BlueprintQuery),
      response: BlueprintRecord,
    },
  );
}
