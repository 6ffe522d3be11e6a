// Goal: every route of both programs says who may call it, is described by OpenAPI, and is waited for; those of the service say what they
// answer, and are in docs/api.md.

import { describe, expect, test } from "bun:test";
import { Kind } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { statusOf } from "../../src/kit/error.ts";
import { openApi } from "../../src/kit/http/openapi.ts";
import { callerKinds as contextCallers } from "../../src/context/identity/admission.ts";
import { callerKinds as serviceCallers } from "../../src/service/identity/admission.ts";
import { callerOf, declaredRoutes, type DeclaredRoute, nameOf } from "../kit/http/declared-routes.ts";
import { dereferenced } from "../kit/http/described-routes.ts";
import { expectOperations } from "../kit/http/operations.ts";
import { expectGoldenJson } from "../kit/golden.ts";

/** They answer with events, so that there is no schema of one answer. */
const STREAMS = [
  "GET /api/v1/audit/export",
  "GET /api/v1/turns/:id/events",
  "GET /api/v1/workspaces/:id/events",
  "GET /api/v1/workspaces/:id/export",
  "GET /api/v1/workspaces/events",
];
/** They answer with a connection of its own, so that there is nothing to declare but a refusal. */
const SOCKETS = ["GET /api/v1/terminal", "GET /api/v1/workspaces/:id/terminal"];
const { routes, facts } = declaredRoutes.service;

const unawaited = (route: DeclaredRoute) => !/await handler\(/.test(route.compile().toString());

describe.each([
  {
    ...declaredRoutes.service,
    title: "Cairn service",
    golden: "openapi.json",
    callers: serviceCallers,
    open: ["GET /api/v1/health", "POST /api/v1/login"],
  },
  {
    ...declaredRoutes.context,
    title: "Cairn context server",
    golden: "context-openapi.json",
    callers: contextCallers,
    open: ["GET /api/v1/health", "POST /api/v1/auth/login"],
  },
])("routes of the $title", (program) => {
  test("each declares its caller, and only those known are open", () => {
    const callers: readonly unknown[] = program.callers;
    expect(program.routes.filter((route) => !callers.includes(callerOf(route))).map(nameOf)).toEqual([]);
    const open = program.routes.filter((route) => callerOf(route) === "open");
    expect<unknown>(open.map(nameOf).toSorted()).toEqual(program.open);
  });

  test("each reads its path parameters by a schema", () => {
    const unread = program.routes.filter(({ path, hooks }) => {
      const named = [...path.matchAll(/:(\w+)|\*/g)].map((match) => match[1] ?? "*");
      const read = Object.keys((hooks.params as { properties?: object } | undefined)?.properties ?? {});
      return named.toSorted().join() !== read.toSorted().join();
    });
    expect(unread.map(nameOf)).toEqual([]);
  });

  test("each handler is waited for: the framework decides that by its text", () => {
    expect(program.routes.filter(unawaited).map(nameOf)).toEqual([]);
  });

  test("each body is a closed object", () => {
    const loose = program.routes.filter(({ hooks }) => {
      const body = hooks.body as Schema | undefined;
      return body !== undefined && body[Kind] !== "Record" && body["additionalProperties"] !== false;
    });
    expect(loose.map(nameOf)).toEqual([]);
  });

  test("each is described in a few words, none that is not there, and the description is what it was", async () => {
    const description = openApi(program.title, "0.0.0", program.routes, program.facts);
    expectOperations(program.routes, program.facts, description);
    const { paths } = description as OpenApi;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method.toUpperCase()} ${path.replace("{path}", "*").replaceAll(/\{(\w+)\}/g, ":$1")}`,
      ),
    );
    expect(described.toSorted()).toEqual(program.routes.map(nameOf).toSorted());
    await expectGoldenJson(program.golden, description);
  });
});

test("a handler that is misjudged would be found", () => {
  let kept: Promise<string> | undefined;
  const misjudged = new Elysia().get("/", () => (kept ??= (async () => "x")())).get("/kept", () => kept);
  expect((misjudged.routes as unknown as DeclaredRoute[]).map(unawaited)).toEqual([false, true]);
});

interface OpenApi {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, object> };
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema?: { default?: unknown } }[];
  summary: string;
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

type Schema = Record<string | symbol, unknown>;

const document = JSON.parse(JSON.stringify(openApi("Cairn service", "0.0.0", routes, facts))) as OpenApi;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
);

/** Every schema within one, itself included. */
function schemasIn(value: unknown): Schema[] {
  if (value === null || typeof value !== "object") return [];
  const inner = Object.values(value).flatMap(schemasIn);
  return "type" in value || "anyOf" in value ? [value as Schema, ...inner] : inner;
}

/** Take bytes or text of any type; everything else takes JSON. */
const RAW_BODIES = [
  "PUT /api/v1/workspaces/import",
  "PUT /api/v1/context/file",
  "PUT /api/v1/workspaces/{id}/file",
  "PUT /api/v1/workspaces/{id}/attachments",
];
/** Answer with a file, or also with one. */
const DOWNLOADS: Readonly<Record<string, string>> = {
  "GET /api/v1/workspaces/{id}/attachments/{hash}":
    "image/png,image/jpeg,image/webp,image/gif,application/pdf,text/plain",
  "GET /api/v1/workspaces/{id}/export": "application/x-ndjson",
  "GET /api/v1/workspaces/{id}/turns/export": "application/json,text/csv",
};

describe("routes", () => {
  test("each declares what it answers, streams excepted", () => {
    const undeclared = routes.filter((route) => route.hooks.response === undefined).map(nameOf);
    expect(undeclared.toSorted()).toEqual(STREAMS);
  });

  test("a route that only reads has an answer, WebSockets excepted", () => {
    const silent = routes.filter(
      ({ method, hooks }) => method === "GET" && (hooks.response as Schema | undefined)?.[Kind] === "Void",
    );
    expect(silent.map(nameOf).toSorted()).toEqual(SOCKETS);
  });
});

describe("OpenAPI", () => {
  test("says how many a list has unless asked", () => {
    const limits = operations.flatMap(({ name, operation }) =>
      (operation.parameters ?? [])
        .filter((one) => one.name === "limit")
        .map(({ schema }) => [name, schema?.default]),
    );
    expect(limits.length).toBeGreaterThan(10);
    expect(limits.filter(([, given]) => given === undefined)).toEqual([]);
  });

  test("is 3.1 in shape", () => {
    expect({ openapi: document.openapi, info: document.info }).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Cairn service", version: "0.0.0" },
    });
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    for (const { name, path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const parameters = dereferenced(operation.parameters ?? [], document);
      const declared = parameters.filter((parameter) => parameter.in === "path");
      expect({ name, path: declared.map((parameter) => parameter.name) }).toEqual({
        name,
        path: inPath as string[],
      });
      expect(declared.every((parameter) => parameter.required)).toBe(true);
      const statuses = Object.keys(operation.responses);
      expect({
        name,
        ok: statuses.some((status) => /^2\d\d$/.test(status)) && statuses.includes("default"),
      }).toEqual({ name, ok: true });
      for (const { description, content } of Object.values(operation.responses)) {
        expect(description).not.toBe("");
        const types = [
          "application/json",
          "text/event-stream",
          "application/json,text/event-stream",
          "text/csv",
          ...(DOWNLOADS[name] === undefined ? [] : [DOWNLOADS[name]]),
        ];
        if (content) expect(types).toContain(Object.keys(content).join());
      }
    }
  });

  test("knows only types of JSON Schema, and every object of a request is closed", () => {
    const known = ["object", "array", "string", "integer", "number", "boolean", "null"];
    const types = new Set(
      schemasIn(document).flatMap((schema) => (typeof schema["type"] === "string" ? [schema["type"]] : [])),
    );
    types.delete("http");
    expect([...types].filter((type) => !known.includes(type))).toEqual([]);
    const bodies = operations.filter(({ operation }) => operation.requestBody);
    expect(bodies.length).toBeGreaterThan(15);
    for (const { name, operation } of bodies) {
      if (RAW_BODIES.includes(name)) {
        expect(Object.keys(operation.requestBody!.content)).toEqual(["application/octet-stream"]);
        continue;
      }
      expect({ name, types: Object.keys(operation.requestBody!.content) }).toEqual({
        name,
        types: ["application/json"],
      });
      const open = schemasIn(dereferenced(operation.requestBody!.content, document)).filter(
        (schema) => schema["type"] === "object" && schema["additionalProperties"] !== false,
      );
      expect({ name, open }).toEqual({ name, open: [] });
    }
  });
});

describe("docs/api.md", () => {
  const text = Bun.file(join(ROOT, "docs/api.md")).text();
  const rows = async (pattern: RegExp) =>
    [...(await text).matchAll(pattern)].map((match) => match.slice(1, 4).join(" "));

  test("lists every route with who may call it, and none that is not there", async () => {
    const documented = await rows(/^\|\s*(GET|POST|PUT|PATCH|DELETE)\s*\|\s*(\/\S*)\s*\|\s*(\w+)\s*\|/gm);
    const actual = routes.map(
      (route) =>
        `${route.method} ${route.path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}")} ${callerOf(route)!}`,
    );
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });

  test("lists every error code with its status", async () => {
    const documented = await rows(/^\|\s*`(\w+)`\s*\|\s*(\d{3})\s*\|/gm);
    expect(documented).toEqual(Object.entries(statusOf).map(([code, status]) => `${code} ${status}`));
  });
});
