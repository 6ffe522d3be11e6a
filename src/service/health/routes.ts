// Is the service able to work? Touches the database, since a process that answers without its storage is not healthy.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import type { Db } from "../../kit/db.ts";
import { closed } from "../../kit/schema.ts";
import { version } from "../../kit/version.ts";
import type { CallerPlugin } from "../people/plugin.ts";

const Health = closed({
  status: Type.Union([Type.Literal("ok"), Type.Literal("degraded")]),
  version: Type.String(),
});

export function healthRoutes(plugin: CallerPlugin, db: Db) {
  return new Elysia({ normalize: false, tags: ["health"] })
    .use(plugin)
    .get(
      "/health",
      ({ status }) => (answers(db) ? status(200, health("ok")) : status(503, health("degraded"))),
      {
        caller: "open",
        response: { 200: Health, 503: Health },
      },
    );
}

function health(status: "ok" | "degraded") {
  return { status, version: version.version };
}

function answers(db: Db): boolean {
  try {
    db.check();
    return true;
  } catch {
    return false;
  }
}
