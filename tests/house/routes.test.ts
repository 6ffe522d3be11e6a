// Goal: every route says who may call it and what it answers, is described by OpenAPI and in docs/api.md, and is waited for.

import { describe, expect, test } from "bun:test";
import { Kind } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { statusOf } from "../../src/kit/error.ts";
import { createLog } from "../../src/kit/log.ts";
import { migrate } from "../../src/kit/storage/migrate.ts";
import { openApi, type DescribedRoute } from "../../src/kit/http/openapi.ts";
import { migrations } from "../../src/service/migrations/migrations.ts";
import { buildParts } from "../../src/service/parts.ts";
import { loadConfig } from "../../src/service/config/config.ts";
import { callerKinds } from "../../src/service/identity/admission.ts";
import { API_FACTS, createRoutes } from "../../src/service/server.ts";
import { dereferenced } from "../kit/http/described-routes.ts";
import { expectOperations } from "../kit/http/operations.ts";
import { expectGoldenJson } from "../kit/golden.ts";

interface Route extends DescribedRoute {
  compile(): { toString(): string };
}

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
const OPEN = ["GET /api/v1/health", "POST /api/v1/login"];

function allRoutes(): Route[] {
  const log = createLog({ level: "error", format: "json", write: () => {}, clock: systemClock });
  const db = openDatabase(":memory:");
  migrate(db, migrations, 0);
  const config = loadConfig({}, {});
  const parts = buildParts({
    db,
    clock: systemClock,
    log,
    ownListener: () => undefined,
    config,
    environment: {},
  });
  return createRoutes(parts, log).routes as unknown as Route[];
}

const routes = allRoutes();
const nameOf = ({ method, path }: DescribedRoute) => `${method} ${path}`;
const callerOf = ({ hooks }: DescribedRoute) =>
  (hooks.detail as { "x-caller"?: string } | undefined)?.["x-caller"];

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

const document = JSON.parse(JSON.stringify(openApi("Cairn service", "0.0.0", routes, API_FACTS))) as OpenApi;
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
  test("each declares its caller, and only those known are open", () => {
    expect(
      routes.filter((route) => !(callerKinds as readonly unknown[]).includes(callerOf(route))).map(nameOf),
    ).toEqual([]);
    expect(routes.filter((route) => callerOf(route) === "open").map(nameOf)).toEqual(OPEN);
  });

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

  test("each reads its path parameters by a schema", () => {
    const unread = routes.filter(({ path, hooks }) => {
      const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
      const declared = Object.keys((hooks.params as { properties?: object } | undefined)?.properties ?? {});
      return named.toSorted().join() !== declared.toSorted().join();
    });
    expect(unread.map(nameOf)).toEqual([]);
  });

  test("each handler is waited for: the framework decides that by its text", () => {
    const unawaited = (route: Route) => !/await handler\(/.test(route.compile().toString());
    expect(routes.filter(unawaited).map(nameOf)).toEqual([]);
    let kept: Promise<string> | undefined;
    const misjudged = new Elysia().get("/", () => (kept ??= (async () => "x")())).get("/kept", () => kept);
    expect((misjudged.routes as unknown as Route[]).map(unawaited)).toEqual([false, true]);
  });
});

describe("OpenAPI", () => {
  test("is what it was, or the difference is shown", async () => {
    await expectGoldenJson("openapi.json", document);
  });

  test("says how many a list has unless asked", () => {
    const limits = operations.flatMap(({ name, operation }) =>
      (operation.parameters ?? [])
        .filter((one) => one.name === "limit")
        .map(({ schema }) => [name, schema?.default]),
    );
    expect(limits.length).toBeGreaterThan(10);
    expect(limits.filter(([, given]) => given === undefined)).toEqual([]);
  });

  test("says in a few words what each operation does, and of none that is not there", () => {
    expectOperations(routes, API_FACTS, document);
  });

  test("has exactly the routes that there are", () => {
    const described = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ":$1"));
    expect(described.toSorted()).toEqual(routes.map(nameOf).toSorted());
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
