// HTTP for backups: the operator of the machine starts one and asks how far it is. The archive never travels over HTTP.

import { Elysia } from "elysia";
import { fromPath } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { ActorPlugin } from "../people/plugin.ts";
import type { Backups } from "./backups.ts";
import { Backup, CreateBackup } from "./schema.ts";

export function backupRoutes(plugin: ActorPlugin, backups: Backups) {
  return new Elysia({ name: "backups", normalize: false, tags: ["backups"] })
    .use(plugin)
    .post("/backups", async ({ actor, body, status }) => status(202, backups.start(actor, body.path)), {
      actor: "admin",
      body: CreateBackup,
      response: { 202: Backup },
    })
    .get("/backups/:id", async ({ actor, params }) => backups.get(actor, params.id), {
      actor: "admin",
      params: fromPath(IdParams),
      response: Backup,
    })
    .delete("/backups/:id", async ({ actor, params }) => backups.stop(actor, params.id), {
      actor: "admin",
      params: fromPath(IdParams),
      response: Backup,
    });
}
