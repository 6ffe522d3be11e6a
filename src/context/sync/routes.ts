// HTTP for pushes and pulls. A pull answers with a compressed archive (tar, zstd), sent while it is made.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import type { ActorPlugin } from "../people/plugin.ts";
import { SpaceParams } from "../spaces/schema.ts";
import { Pull, Push, PUSH_BYTES_MAX, Pushed } from "./schema.ts";
import type { Sync } from "./sync.ts";

/** Content travels as base64, four bytes for three, in JSON. */
const PUSH_BODY_BYTES_MAX = Math.ceil((PUSH_BYTES_MAX * 4) / 3) + 8 * 1024 * 1024;
export const PUSH_BODY_LIMITS = [
  { method: "POST", route: "/spaces/:space/push", bytesMax: PUSH_BODY_BYTES_MAX },
  { method: "POST", route: "/spaces/:space/pull", bytesMax: PUSH_BODY_BYTES_MAX },
] as const;

export function syncRoutes(plugin: ActorPlugin, sync: Sync) {
  return new Elysia({ name: "sync", normalize: false, tags: ["sync"] })
    .use(plugin)
    .post("/spaces/:space/push", async ({ actor, params, body }) => sync.push(actor, params.space, body), {
      actor: "space",
      params: SpaceParams,
      body: Push,
      response: Pushed,
    })
    .post(
      "/spaces/:space/pull",
      async ({ actor, params, body, request }) => {
        const archive = await sync.pull(actor, params.space, body.paths);
        return new Response(archive, {
          headers: {
            ...SECURITY_HEADERS,
            "X-Request-Id": exchangeOf(request).id,
            "Cache-Control": "no-store",
            "Content-Type": "application/zstd",
          },
        }) as never;
      },
      { actor: "space", params: SpaceParams, body: Pull, detail: ARCHIVE },
    );
}

const ARCHIVE = {
  description: "A tar archive, compressed with zstd: `.versions.json` (path → version), then the files.",
  responses: {
    200: { description: "the archive", content: { "application/zstd": { schema: Type.String() } } },
  },
};
