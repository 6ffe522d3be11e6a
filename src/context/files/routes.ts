// HTTP for files. Content is raw in both directions; everything else is JSON.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { answerJsonText, SECURITY_HEADERS } from "../../kit/http/answer.ts";
import { readBytes } from "../../kit/http/body.ts";
import { hasTag } from "../../kit/http/entity-tags.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { answerList, answerListing, inPages } from "../../kit/http/list-answer.ts";
import { rawBody } from "../../kit/http/openapi.ts";
import { CREATE_ONLY, IF_CHANGED, IF_MATCH } from "../../kit/http/request-headers.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";
import { closed, Empty, judgedText, nullable, Flag, isOn } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import { etagOf, expectedFrom } from "./expectation.ts";
import type { Files, Opened } from "./files.ts";
import { Adoption, Deleted, ListedFile, Restoration } from "./listing-schema.ts";
import { FILE_BYTES_CEILING, FileHistory, Head, NetChange, Version } from "../versioned-store/schema.ts";
import { DocumentsAnswer, DocumentsQuery } from "./documents.ts";
import { CONTEXT_LINES_DEFAULT, CONTEXT_LINES_MAX } from "./diff.ts";
import { SnapshotParams, SpaceParams, SyncRules } from "../spaces/schema.ts";
import { SIGNATURE_HEADERS, signatureFrom } from "./signature.ts";
import { headText } from "../versioned-store/head.ts";
import { pathFromUrl } from "./url-path.ts";

/** PUT reads the body itself, so `createApi` needs the route. */
export const FILE_ROUTE = "/spaces/:space/files/*";

/** The handlers read the wildcard from the URL itself (url-path.ts). */
const PathParams = closed({ ...SpaceParams.properties, "*": judgedText({ maxLength: PATH_BYTES_MAX }) });
const VersionQuery = closed({ version: Type.Optional(Type.Integer({ minimum: 1 })) });
const WhichVersion = closed({ version: Type.Integer({ minimum: 1 }) });
const ListQuery = closed({
  prefix: Type.Optional(judgedText({ maxLength: PATH_BYTES_MAX })),
  deleted: Flag,
  at: Type.Optional(Type.String({ description: "a head or a time; lists the space as it was then" })),
});
const DiffQuery = closed({
  from: Type.Optional(Type.Integer({ minimum: 0 })),
  to: Type.Optional(Type.Integer({ minimum: 1 })),
  context: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: CONTEXT_LINES_MAX,
      default: CONTEXT_LINES_DEFAULT,
      description: "lines around each change",
    }),
  ),
});

const Written = closed({
  path: Type.String(),
  version: Version,
  hash: Type.String(),
  size: Type.Integer(),
  head: Head,
  created: Type.Boolean(),
});
const Diff = closed({
  path: Type.String(),
  from: Type.Integer({ description: "0: nothing" }),
  to: nullable(Type.Integer({ description: "null: the edited file in the working tree" })),
  added: Type.Integer(),
  removed: Type.Integer(),
  coarse: Type.Boolean({
    description: "true: too different to compare line by line, so all differences are one block",
  }),
  text: Type.String({ description: "in unified format" }),
});

export function fileRoutes(plugin: Admission, files: Files) {
  return new Elysia({ name: "files", normalize: false })
    .use(plugin)
    .post(
      "/spaces/:space/documents",
      async ({ caller, params, body }) => files.documents(caller, params.space, body),
      {
        caller: "space",
        params: SpaceParams,
        body: DocumentsQuery,
        response: DocumentsAnswer,
        detail: { tags: ["files"], description: DOCUMENTS },
      },
    )
    .use(contentRoutes(plugin, files))
    .use(historyRoutes(plugin, files));
}

function contentRoutes(plugin: Admission, files: Files) {
  return new Elysia({ name: "file-content", normalize: false, tags: ["files"] })
    .use(plugin)
    .get(
      "/spaces/:space/files",
      async ({ caller, params, query, request }) => {
        const listed = await files.list(caller, params.space, {
          prefix: query.prefix,
          deleted: isOn(query.deleted),
          at: query.at,
        });
        return answerList(exchangeOf(request).id, inPages(listed, FILES_PER_PAGE));
      },
      { caller: "space", params: SpaceParams, query: ListQuery, response: Type.Array(ListedFile) },
    )
    .get(
      FILE_ROUTE,
      async ({ caller, params, query, request }) => {
        const exchange = exchangeOf(request);
        const path = pathFromUrl(exchange.path, "/files/");
        const content = await files.read(caller, params.space, path, query.version);
        return answerContent(exchange.id, content, exchange.headers["if-none-match"]);
      },
      { caller: "space", params: PathParams, query: fromText(VersionQuery), detail: RAW },
    )
    .put(
      FILE_ROUTE,
      async ({ caller, params, request, set, status }) => {
        const exchange = exchangeOf(request);
        const path = pathFromUrl(exchange.path, "/files/");
        const expected = () => expectedFrom(exchange.headers);
        const content = () => readBytes(request, FILE_BYTES_CEILING);
        const signature = signatureFrom(exchange.headers);
        const written = await files.write(caller, params.space, path, { content, expected, signature });
        set.headers["etag"] = etagOf(written.version);
        return status(written.created ? 201 : 200, written);
      },
      { caller: "space", params: PathParams, response: { 200: Written, 201: Written }, detail: SAVE },
    )
    .delete(
      FILE_ROUTE,
      async ({ caller, params, request }) => {
        const exchange = exchangeOf(request);
        const expected = () => expectedFrom(exchange.headers);
        return files.remove(caller, params.space, pathFromUrl(exchange.path, "/files/"), expected);
      },
      { caller: "space", params: PathParams, response: Deleted, detail: REMOVE },
    );
}

function historyRoutes(plugin: Admission, files: Files) {
  return new Elysia({ name: "file-history", normalize: false, tags: ["files"] })
    .use(plugin)
    .get(
      "/spaces/:space/history/*",
      async ({ caller, params, request }) =>
        files.history(caller, params.space, pathFromUrl(exchangeOf(request).path, "/history/")),
      { caller: "space", params: PathParams, response: FileHistory },
    )
    .get(
      "/spaces/:space/diff/*",
      async ({ caller, params, query, request }) => {
        const exchange = exchangeOf(request);
        const options = { ...query, signal: request.signal };
        const text = await files.diff(caller, params.space, pathFromUrl(exchange.path, "/diff/"), options);
        return answerJsonText(exchange.id, text);
      },
      { caller: "space", params: PathParams, query: fromText(DiffQuery), response: Diff },
    )
    .post(
      "/spaces/:space/undelete/*",
      async ({ caller, params, request }) =>
        files.undelete(caller, params.space, pathFromUrl(exchangeOf(request).path, "/undelete/")),
      { caller: "space", params: PathParams, response: Written },
    )
    .delete(
      "/spaces/:space/versions/*",
      async ({ caller, params, query, request }) => {
        const path = pathFromUrl(exchangeOf(request).path, "/versions/");
        await files.destroy(caller, params.space, path, query.version);
      },
      { caller: "lead", params: PathParams, query: fromText(WhichVersion), response: Empty },
    )
    .get(
      "/spaces/:space/changes",
      async ({ caller, params, query, request }) =>
        answerListing(exchangeOf(request).id, await files.changes(caller, params.space, query.since)),
      {
        caller: "space",
        params: SpaceParams,
        query: closed({ since: Type.String() }),
        response: closed({
          head: Head,
          sync: SyncRules,
          view: Type.String({
            description:
              "changes whenever the caller's rights in the space may have changed: changes before `since` may be visible now",
          }),
          changes: Type.Array(NetChange),
        }),
      },
    )
    .post(
      "/spaces/:space/snapshots/:id/restore",
      async ({ caller, params }) => {
        const { head, effects, lost } = await files.restore(caller, params.space, params.id);
        return { head: headText(head), files: effects.map(({ path }) => path), lost: [...lost] };
      },
      {
        caller: "lead",
        params: fromPath(SnapshotParams),
        response: Restoration,
      },
    )
    .post("/spaces/:space/adopt", async ({ caller, params }) => files.adopt(caller, params.space), {
      caller: "lead",
      params: SpaceParams,
      response: Adoption,
    });
}

/** Written at once: a few milliseconds of work. */
const FILES_PER_PAGE = 1_000;
const TEXT = /\.(?:md|markdown|mdx|txt|json|ya?ml|toml|csv|html?|css|js|ts|py|sh|sql|xml|svg)$/i;

const contentHeaders = (type: string) =>
  new Headers({ ...SECURITY_HEADERS, "Cache-Control": "no-cache", "Content-Type": type });
const STATE_HEADER = "X-Service-State";
const TEXT_HEADERS = contentHeaders("text/plain; charset=utf-8");
const BYTES_HEADERS = contentHeaders("application/octet-stream");

/** Sends the bytes as written. Text is served as plain text, never as a page. Unrecorded content has its state instead of an ETag. */
function answerContent(requestId: string, content: Opened, known: string | undefined): Response {
  const tag = content.version === undefined ? undefined : etagOf(content.version);
  const isKnown = tag !== undefined && hasTag(known, tag);
  // Copying prepared headers is cheaper than building them for each response.
  const response = new Response(isKnown ? null : (content.bytes as Uint8Array<ArrayBuffer>), {
    status: isKnown ? 304 : 200,
    headers: TEXT.test(content.path) ? TEXT_HEADERS : BYTES_HEADERS,
  });
  response.headers.set("X-Request-Id", requestId);
  if (tag !== undefined) response.headers.set("ETag", tag);
  if (content.state !== undefined) response.headers.set(STATE_HEADER, content.state);
  return response;
}

const RAW = {
  description:
    "Returns the content of the working tree, with the version as ETag. Manual edits that are not recorded yet have X-Service-State (modified, untracked) instead of an ETag. `?version=N` returns an earlier version.",
  parameters: [IF_CHANGED],
  "x-headers": ["ETag", "X-Service-State"] as const,
  responses: {
    200: {
      description: "the content",
      content: {
        "text/plain": { schema: { type: "string" as const } },
        "application/octet-stream": { schema: { type: "string" as const, format: "binary" } },
      },
    },
    304: { description: "If-None-Match names the current version" },
  },
};
const REMOVE = {
  description: '`If-Match: "N"` deletes only if that version is live. Every version is kept.',
  parameters: [IF_MATCH],
};
const DOCUMENTS =
  "Reads many documents in one request: `paths`, and everything below `prefixes`. A document that cannot be read is listed in `unread` with the reason. At most 1,000 names, 2,000 documents, 256 KiB of each, 4 MiB together.";
const SAVE = {
  description:
    'The body is the content. `If-Match: "N"` writes only if that version is live, `If-None-Match: *` only if there is none; without either, the last write wins. Every accepted write creates a version. On 412, details.current has the live version and its hash, or is null. `X-Service-Agent` and `X-Service-Message` appear in the history.',
  parameters: [IF_MATCH, CREATE_ONLY, ...SIGNATURE_HEADERS],
  "x-headers": ["ETag"] as const,
  requestBody: rawBody({ required: false }),
};
