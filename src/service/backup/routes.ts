// HTTP for backups. An archive is never sent over HTTP.

import { Elysia } from "elysia";
import { fromPath } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Backups } from "./backups.ts";
import { Backup, BackupsOverview } from "./schema.ts";

export function backupRoutes(plugin: Admission, backups: Backups) {
  return new Elysia({ name: "backups", normalize: false, prefix: "/backups", tags: ["backups"] })
    .use(plugin)
    .get("", ({ caller }) => backups.overview(caller), { caller: "admin", response: BackupsOverview })
    .post("", ({ caller, status }) => status(202, backups.start(caller)), {
      caller: "admin",
      response: { 202: Backup },
    })
    .get("/:id", ({ caller, params }) => backups.get(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Backup,
    })
    .delete("/:id", ({ caller, params }) => backups.stop(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Backup,
    });
}
