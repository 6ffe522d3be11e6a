// HTTP for the usage of a workspace.

import { Elysia } from "elysia";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { UsageByDay } from "./days.ts";
import { Usage, UsageDays, UsageDaysQuery } from "./schema.ts";
import type { Usages } from "./usage.ts";

export function usageRoutes(plugin: Admission, usages: Usages, usageByDay: UsageByDay) {
  return new Elysia({ name: "usage", normalize: false, tags: ["usage"] })
    .use(plugin)
    .get("/workspaces/:id/usage", ({ caller, params }) => usages.get(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Usage,
    })
    .get(
      "/workspaces/:id/usage/days",
      ({ caller, params, query }) => usageByDay.get(caller, params.id, query),
      { caller: "ws", params: fromPath(IdParams), query: fromText(UsageDaysQuery), response: UsageDays },
    );
}
