// HTTP for context and memory. Documents are raw text in PUT, JSON otherwise.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { expectedFrom } from "../../context/library.ts";
import { readBytes } from "../../kit/http/body.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { VERSIONED } from "../../kit/http/answer-headers.ts";
import { rawBody } from "../../kit/http/openapi.ts";
import { CREATE_ONLY, IF_MATCH } from "../../kit/http/request-headers.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { Empty, IdParams, isOn } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { MemoryAreas } from "./areas.ts";
import type { ContextBindings } from "./bindings.ts";
import type { MemoryWrites } from "./writes.ts";
import {
  BindContext,
  ContextBinding,
  ContextDocument,
  ContextFile,
  ContextSearch,
  ContextSearchQuery,
  ContextStatus,
  DeletedDocument,
  DocumentHistory,
  MemoryHistory,
  MemoryWrite,
  MEMORY_DOCUMENT_BYTES_MAX,
  PathQuery,
  PrefixQuery,
  RestoreDocument,
  SavedDocument,
  TurnQuery,
  VersionQuery,
  VersionsQuery,
} from "./schema.ts";

/** PUT reads the body itself, so `createApi` needs the route. */
export const CONTEXT_FILE_ROUTE = "/context/file";

export function memoryRoutes(
  plugin: Admission,
  areas: MemoryAreas,
  bindings: ContextBindings,
  writes: MemoryWrites,
) {
  return new Elysia({ name: "memory", normalize: false, tags: ["memory"] })
    .use(plugin)
    .use(contextRoutes(plugin, areas))
    .get("/workspaces/:id/context", ({ caller, params }) => bindings.list(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Type.Array(ContextBinding),
    })
    .post(
      "/workspaces/:id/context",
      async ({ caller, params, body, status }) =>
        bindings.bind(caller, params.id, body).then((made) => status(201, made)),
      { caller: "ws", params: fromPath(IdParams), body: BindContext, response: { 201: ContextBinding } },
    )
    .delete("/context-bindings/:id", async ({ caller, params }) => bindings.unbind(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Empty,
    })
    .get("/workspaces/:id/memory", async ({ caller, params }) => areas.memory(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Type.Array(ContextFile),
    })
    .get(
      "/workspaces/:id/memory/file",
      async ({ caller, params, query }) => areas.memoryFile(caller, params.id, query.path, query.version),
      { caller: "ws", params: fromPath(IdParams), query: fromText(VersionQuery), response: ContextDocument },
    )
    .get(
      "/workspaces/:id/memory/history",
      async ({ caller, params, query: { path, ...page } }) =>
        areas.memoryHistory(caller, params.id, path, page),
      { caller: "ws", params: fromPath(IdParams), query: fromText(VersionsQuery), response: MemoryHistory },
    )
    .get(
      "/workspaces/:id/memory/writes",
      ({ caller, params, query }) => writes.ofTurn(caller, params.id, query.turn),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(TurnQuery),
        response: Type.Array(MemoryWrite),
      },
    );
}

function contextRoutes(plugin: Admission, areas: MemoryAreas) {
  return new Elysia({ name: "context", normalize: false, prefix: "/context", tags: ["memory"] })
    .use(plugin)
    .get("/status", async ({ caller }) => areas.status(caller), { caller: "any", response: ContextStatus })
    .get("/files", async ({ caller, query }) => areas.files(caller, query.path, isOn(query.deleted)), {
      caller: "admin",
      query: PrefixQuery,
      response: Type.Array(ContextFile),
    })
    .get(
      "/file",
      async ({ caller, query, set }) => {
        const document = await areas.file(caller, query.path, query.version);
        if (document.version !== null) set.headers["etag"] = `"${document.version}"`;
        return document;
      },
      { caller: "admin", query: fromText(VersionQuery), response: ContextDocument, detail: VERSIONED },
    )
    .get("/history", async ({ caller, query: { path, ...page } }) => areas.history(caller, path, page), {
      caller: "admin",
      query: fromText(VersionsQuery),
      response: DocumentHistory,
    })
    .get("/search", async ({ caller, query }) => areas.search(caller, query.q, query.path), {
      caller: "admin",
      query: ContextSearchQuery,
      response: ContextSearch,
    })
    .post("/restore", async ({ caller, body }) => areas.restore(caller, body), {
      caller: "admin",
      body: RestoreDocument,
      response: SavedDocument,
    })
    .delete(
      "/file",
      async ({ caller, query, request }) =>
        areas.remove(caller, query.path, expectedFrom(exchangeOf(request).headers)),
      { caller: "admin", query: PathQuery, response: DeletedDocument, detail: REMOVE },
    )
    .put(
      "/file",
      async ({ caller, query, request, set, status }) => {
        const expected = expectedFrom(exchangeOf(request).headers);
        const content = () => readBytes(request, MEMORY_DOCUMENT_BYTES_MAX);
        const { created, ...saved } = await areas.save(caller, query.path, content, expected);
        set.headers["etag"] = `"${saved.version}"`;
        return status(created ? 201 : 200, saved);
      },
      {
        caller: "admin",
        query: PathQuery,
        response: { 200: SavedDocument, 201: SavedDocument },
        detail: SAVE,
      },
    );
}

const REMOVE = {
  description:
    '`If-Match: "N"` deletes only if that version is live. Every version is kept; restore undeletes.',
  parameters: [IF_MATCH],
};

const SAVE = {
  description:
    'The body is the content. `If-Match: "N"` writes only if that version is live, `If-None-Match: *` only if there is none; without either, the last write wins. On 412, details.current has the live version and its hash, or is null.',
  parameters: [IF_MATCH, CREATE_ONLY],
  ...VERSIONED,
  requestBody: rawBody({ required: true }),
};
