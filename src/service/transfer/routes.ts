// HTTP for the export and import of workspaces. Both bodies are files, not JSON: lines of JSON, streamed.

import { Elysia } from "elysia";
import { answerDownload } from "../../kit/http/download-answer.ts";
import { bodyPieces } from "../../kit/http/body.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { rawBody } from "../../kit/http/openapi.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Exports } from "./export.ts";
import type { Imports } from "./import.ts";
import { WorkspaceExportQuery, IMPORT_BYTES_MAX, Imported, ImportQuery } from "./schema.ts";

/** Lines of JSON: a file of records that is read while it arrives. */
const LINES_TYPE = "application/x-ndjson";
/** It reads the body itself, so `createApi` must know this route. */
export const IMPORT_ROUTE = "/workspaces/import";

export function transferRoutes(plugin: Admission, exports: Exports, imports: Imports) {
  return (
    new Elysia({ name: "transfer", normalize: false, tags: ["workspaces"] })
      .use(plugin)
      .get(
        "/workspaces/:id/export",
        async ({ caller, params, query: { files }, request }) => {
          const { id, method } = exchangeOf(request);
          const withFiles = files !== "0" && files !== "false";
          // The headers alone export nothing, so nothing is recorded.
          if (method === "HEAD") exports.requireMayExport(caller, params.id);
          const pieces = method === "HEAD" ? noPieces() : await exports.begin(caller, params.id, withFiles);
          return answerDownload(id, { name: `workspace-${params.id}.jsonl`, type: LINES_TYPE }, pieces);
        },
        {
          caller: "owner",
          params: fromPath(IdParams),
          query: fromText(WorkspaceExportQuery),
          detail: EXPORT,
        },
      )
      // A raw body: the guard lets only JSON be posted.
      .put(
        IMPORT_ROUTE,
        async ({ caller, query, request, status }) => {
          const body = bodyPieces(request, IMPORT_BYTES_MAX, "disk");
          return status(201, await imports.run(caller, query, body));
        },
        { caller: "any", query: fromText(ImportQuery), response: { 201: Imported }, detail: IMPORT },
      )
  );
}

async function* noPieces(): AsyncGenerator<never> {}

const EXPORT = {
  description:
    "The workspace as one file, lines of JSON (docs/workspaces.md): agents, wires, gears, instructions, the conversation with its branches, the exact prompts, files. No key, token, approval or grant.",
  responses: {
    200: {
      description: "the workspace",
      content: { [LINES_TYPE]: { schema: { type: "string" as const } } },
    },
  },
};
const IMPORT = {
  description:
    "Creates a workspace from an exported file, whole or not at all. Gears come in pending. 422 with details.models: choose models for those that this server lacks.",
  requestBody: rawBody({ required: true }),
};
