// HTTP for attachments. The body of an upload is the file itself, whatever its content type. A download is never rendered as a page.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { VERSIONED } from "../../kit/http/answer-headers.ts";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import { bodyPieces } from "../../kit/http/body.ts";
import { contentDisposition } from "../../kit/http/content-disposition.ts";
import { exchangeOf, type Exchange } from "../../kit/http/exchange.ts";
import { hasTag } from "../../kit/http/entity-tags.ts";
import { rawBody } from "../../kit/http/openapi.ts";
import { IF_CHANGED } from "../../kit/http/request-headers.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Attachments } from "./attachments.ts";
import { Attachment, ATTACHMENT_BYTES_MAX, AttachmentParams, UploadQuery } from "./schema.ts";
import type { AttachmentRow } from "./store.ts";

/** Its handler reads the body itself, so `createApi` must know this route. */
export const ATTACHMENTS_ROUTE = "/workspaces/:id/attachments";

/** Nothing in the file may run or load, even if a browser is made to open it. */
const NOTHING_RUNS = "default-src 'none'; style-src 'none'; sandbox; frame-ancestors 'none'";

export function attachmentRoutes(plugin: Admission, attachments: Attachments) {
  return (
    new Elysia({ name: "attachments", normalize: false, tags: ["attachments"] })
      .use(plugin)
      // Not POST: the guard lets only JSON be posted, since a foreign page could post anything else.
      .put(
        ATTACHMENTS_ROUTE,
        async ({ caller, params, query, request, status }) => {
          const body = () => bodyPieces(request, ATTACHMENT_BYTES_MAX, "disk");
          const { created, ...attachment } = await attachments.upload(caller, params.id, query.name, body);
          return status(created ? 201 : 200, attachment);
        },
        {
          caller: "ws",
          params: fromPath(IdParams),
          query: fromText(UploadQuery),
          response: { 200: Attachment, 201: Attachment },
          detail: UPLOAD,
        },
      )
      .get(
        `${ATTACHMENTS_ROUTE}/:hash`,
        async ({ caller, params, request }) => {
          const { row, path } = await attachments.open(caller, params.id, params.hash);
          return fileAnswer(exchangeOf(request), row, path);
        },
        { caller: "ws", params: fromPath(AttachmentParams), response: Type.String(), detail: DOWNLOAD },
      )
  );
}

function fileAnswer(exchange: Exchange, row: AttachmentRow, path: string): Response {
  const { kind, media_type: type, hash, name } = row;
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    "Content-Security-Policy": NOTHING_RUNS,
    "Content-Type": kind === "text" ? "text/plain; charset=utf-8" : type,
    "Content-Disposition": contentDisposition(kind === "image" ? "inline" : "attachment", name),
    // Its bytes never change, but who may see them can.
    "Cache-Control": "private, no-cache",
    ETag: `"${hash}"`,
    "X-Request-Id": exchange.id,
  };
  if (hasTag(exchange.headers["if-none-match"], headers["ETag"]!))
    return new Response(null, { status: 304, headers });
  return new Response(Bun.file(path), { headers });
}

const TEXT = { schema: { type: "string" as const } };
/** Of what may be attached (inspection.ts). */
const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf", "text/plain"];
const UPLOAD = {
  description:
    "Stores the body, a PNG, JPEG, WebP or GIF image, a PDF or a text, for a message: `POST /workspaces/{id}/chat` names it by its hash. The type is detected from the content. Answers 200 if the workspace has it already. Removed after a day without a message.",
  requestBody: rawBody({ required: true }),
};
const DOWNLOAD = {
  description: "The bytes as they were uploaded, to save or to show as an image, never as a page.",
  parameters: [IF_CHANGED],
  ...VERSIONED,
  responses: {
    200: { description: "the file", content: Object.fromEntries(TYPES.map((type) => [type, TEXT])) },
    304: { description: "If-None-Match names the file" },
  },
};
