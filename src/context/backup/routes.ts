// HTTP for backups: the operator of the machine starts one and polls its progress. The archive is never sent over HTTP.

import { Elysia } from "elysia";
import { fromPath } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Backups } from "./backups.ts";
import { Backup, CreateBackup } from "./schema.ts";

export function backupRoutes(plugin: Admission, backups: Backups) {
  return new Elysia({ name: "backups", normalize: false, tags: ["backups"] })
    .use(plugin)
    .post("/backups", async ({ caller, body, status }) => status(202, backups.start(caller, body.path)), {
      caller: "admin",
      body: CreateBackup,
      response: { 202: Backup },
    })
    .get("/backups/:id", async ({ caller, params }) => backups.get(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Backup,
    })
    .delete("/backups/:id", async ({ caller, params }) => backups.stop(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Backup,
    });
}
