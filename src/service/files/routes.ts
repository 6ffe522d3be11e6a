// HTTP for the files of a workspace. The body of a save is the raw text, regardless of its content type.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { readBytes } from "../../kit/http/body.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { VERSIONED } from "../../kit/http/answer-headers.ts";
import { rawBody } from "../../kit/http/openapi.ts";
import { CREATE_ONLY, IF_MATCH } from "../../kit/http/request-headers.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Files } from "./files.ts";
import {
  DirectoryQuery,
  FILE_BYTES_MAX,
  FileContent,
  FileEntry,
  FileQuery,
  FindQuery,
  FoundInFiles,
  SavedFile,
} from "./schema.ts";
import { etagOf, expectedFrom } from "./version.ts";

/** Its PUT handler reads the body itself, so `createApi` must know this route. */
export const FILE_ROUTE = "/workspaces/:id/file";

export function fileRoutes(plugin: Admission, files: Files) {
  return new Elysia({ name: "files", normalize: false, tags: ["files"] })
    .use(plugin)
    .get(
      "/workspaces/:id/files",
      async ({ caller, params, query }) => files.list(caller, params.id, query.path),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(DirectoryQuery),
        response: Type.Array(FileEntry),
      },
    )
    .get(
      "/workspaces/:id/files/find",
      async ({ caller, params, query }) => files.find(caller, params.id, query),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(FindQuery),
        response: FoundInFiles,
      },
    )
    .get(
      FILE_ROUTE,
      async ({ caller, params, query, set }) => {
        const file = await files.read(caller, params.id, query.path);
        set.headers["etag"] = etagOf(file.version);
        return file;
      },
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(FileQuery),
        response: FileContent,
        detail: VERSIONED,
      },
    )
    .put(
      FILE_ROUTE,
      async ({ caller, params, query, request, set, status }) => {
        const expected = expectedFrom(exchangeOf(request).headers);
        const content = () => readBytes(request, FILE_BYTES_MAX);
        const { created, ...saved } = await files.save(caller, params.id, query.path, { expected, content });
        set.headers["etag"] = etagOf(saved.version);
        return status(created ? 201 : 200, saved);
      },
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(FileQuery),
        response: { 200: SavedFile, 201: SavedFile },
        detail: SAVE,
      },
    );
}

const SAVE = {
  description:
    "Saves the body, UTF-8 text, atomically. If-Match: the version that was read, or * for any existing file; If-None-Match: * to create only. Without either header it overwrites.",
  parameters: [IF_MATCH, CREATE_ONLY],
  ...VERSIONED,
  requestBody: rawBody({ required: false }),
};
