// HTTP for pushes and pulls. A pull returns an archive or the contents as they are stored, streamed while it is built.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import { bodyPieces } from "../../kit/http/body.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { jsonBody } from "../../kit/http/openapi.ts";
import type { Admission } from "../identity/admission.ts";
import { SpaceParams } from "../spaces/schema.ts";
import { ARCHIVE_TYPE } from "./archive.ts";
import { CONTENTS_TYPE } from "./contents.ts";
import { Pull, Push, PUSH_BYTES_MAX, Pushed } from "./schema.ts";
import type { Sync } from "./sync.ts";

/** Content is base64 in JSON: four bytes for three. */
export const PUSH_BODY_BYTES_MAX = Math.ceil((PUSH_BYTES_MAX * 4) / 3) + 8 * 1024 * 1024;
/** Enough for a long list of long paths. */
const PULL_BODY_BYTES_MAX = 4 * 1024 * 1024;
export const PULL_BODY_LIMITS = [
  { method: "POST", route: "/spaces/:space/pull", bytesMax: PULL_BODY_BYTES_MAX },
] as const;
/** The handler reads the body itself, so `createApi` needs the route. */
export const PUSH_ROUTE = "/spaces/:space/push";

export function syncRoutes(plugin: Admission, sync: Sync) {
  return new Elysia({ name: "sync", normalize: false, tags: ["sync"] })
    .use(plugin)
    .post(
      PUSH_ROUTE,
      async ({ caller, params, request }) =>
        sync.push(caller, params.space, bodyPieces(request, PUSH_BODY_BYTES_MAX, "disk")),
      { caller: "space", params: SpaceParams, response: Pushed, detail: { requestBody: jsonBody(Push) } },
    )
    .post(
      "/spaces/:space/pull",
      async ({ caller, params, body, request }) => {
        const { type, stream } = await sync.pull(caller, params.space, body);
        return new Response(stream, {
          headers: {
            ...SECURITY_HEADERS,
            "X-Request-Id": exchangeOf(request).id,
            "Cache-Control": "no-store",
            "Content-Type": type,
          },
        });
      },
      { caller: "space", params: SpaceParams, body: Pull, detail: ARCHIVE },
    );
}

const ARCHIVE = {
  description:
    "Returns a tar archive, compressed with zstd: `.versions.json` (path → version), then the files. With `form: contents`, each file follows a line of JSON: {path, version, size, coding (`raw` or `zstd`), length}, then `length` bytes. The last line is {end: true}.",
  responses: {
    200: {
      description: "the files",
      content: { [ARCHIVE_TYPE]: { schema: Type.String() }, [CONTENTS_TYPE]: { schema: Type.String() } },
    },
  },
};
