// Is the server able to work? Touches storage, since a process that answers without it is not healthy.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { version } from "../../kit/version.ts";
import type { ActorPlugin } from "../people/plugin.ts";

const Health = closed({
  status: Type.Union([Type.Literal("ok"), Type.Literal("degraded")]),
  version: Type.String(),
});

/** Raises when its storage does not answer. */
type Touch = () => void | Promise<void>;

export function healthRoutes(plugin: ActorPlugin, touches: readonly Touch[]) {
  return new Elysia({ normalize: false, tags: ["health"] })
    .use(plugin)
    .get(
      "/health",
      async ({ status }) =>
        (await answers(touches)) ? status(200, health("ok")) : status(503, health("degraded")),
      { actor: "open", response: { 200: Health, 503: Health } },
    );
}

function health(status: "ok" | "degraded") {
  return { status, version: version.version };
}

async function answers(touches: readonly Touch[]): Promise<boolean> {
  try {
    for (const touch of touches) await touch();
    return true;
  } catch {
    return false;
  }
}
