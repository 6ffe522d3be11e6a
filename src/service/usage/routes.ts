// HTTP for the usage of a workspace.

import { Elysia } from "elysia";
import { fromPath } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import { Usage } from "./schema.ts";
import type { Usages } from "./usage.ts";

export function usageRoutes(plugin: Admission, usages: Usages) {
  return new Elysia({ name: "usage", normalize: false, tags: ["usage"] })
    .use(plugin)
    .get("/workspaces/:id/usage", ({ caller, params }) => usages.get(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Usage,
    });
}
