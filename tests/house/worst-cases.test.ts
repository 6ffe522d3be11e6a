// Goal: every route of both programs, and every page of the console and of `cairn ui`, is in the table of worst cases, or says there why it needs no
// row. The terminal interface has keys instead of routes: tests/binary/worst-case/ssh.test.ts lists what one may do there.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { PageTable } from "../../src/context/console/area.ts";
import {
  CONSOLE_BOUNDED,
  CONSOLE_ROWS,
  UI_BOUNDED,
  UI_ROWS,
  type PageCase,
} from "../binary/worst-case/console-rows.ts";
import { CONTEXT_BOUNDED, CONTEXT_ROWS } from "../binary/worst-case/context-rows.ts";
import { SERVICE_BOUNDED, SERVICE_ROWS } from "../binary/worst-case/service-rows.ts";
import type { ConsolePage, Visitor } from "../kit/context/console.ts";
import { ALL_CONSOLE_ROUTES, UI_ROUTES } from "../kit/context/console-routes.ts";

/** By their descriptions, which are compared with the routes themselves elsewhere. */
async function routesOf(description: string): Promise<string[]> {
  const { paths } = (await Bun.file(join(ROOT, "tests/golden", description)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace("/api/v1", "")}`),
  );
}

const tables = {
  "context-openapi.json": { rows: CONTEXT_ROWS, bounded: CONTEXT_BOUNDED },
  "openapi.json": { rows: SERVICE_ROWS, bounded: SERVICE_BOUNDED },
};

describe.each(Object.entries(tables))("%s", (description, { rows, bounded }) => {
  const named = [...Object.keys(rows), ...Object.values(bounded).flat()];

  test("has a row or a reason for each route", async () => {
    const routes = await routesOf(description);
    expect(routes.filter((route) => !named.includes(route))).toEqual([]);
  });

  test("has none for a route that is not there, and none twice", async () => {
    const routes = await routesOf(description);
    expect(named.filter((name) => !routes.includes(name))).toEqual([]);
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
  });
});

/** The requests of a row: it visits nobody, and ends where it compares an answer. */
async function requestsOf(act: PageCase): Promise<{ method: string; path: string }[]> {
  const made: { method: string; path: string }[] = [];
  const ask = (method: string, path: string) => {
    made.push({ method, path: path.replace(/[?].*$/s, "") });
    return Promise.resolve({ path, status: 0, text: "", forms: [{ fields: {} }] } as unknown as ConsolePage);
  };
  const nobody: Visitor = {
    cookies: new Map(),
    get: (path) => ask("GET", path),
    submit: (_, action) => ask("POST", action),
    post: (path) => ask("POST", path),
  };
  await Promise.resolve(act(nobody)).catch(() => {});
  return made;
}

const pages = {
  "the console": { routes: ALL_CONSOLE_ROUTES, rows: CONSOLE_ROWS, bounded: CONSOLE_BOUNDED },
  "cairn ui": { routes: UI_ROUTES, rows: UI_ROWS, bounded: UI_BOUNDED },
};

describe.each(Object.entries(pages))("%s", (_, { routes, rows, bounded }) => {
  const table = new PageTable(routes);
  const names = routes.map(({ name }) => name);
  const reasoned = Object.values(bounded).flat();
  const visited = async () => {
    const requests = (await Promise.all(Object.values(rows).map(requestsOf))).flat();
    return requests.map(({ method, path }) => ({
      request: `${method} ${path}`,
      name: table.find(method, path).found?.route.name,
    }));
  };

  test("has a row or a reason for each page and form", async () => {
    const covered = [...(await visited()).map(({ name }) => name), ...reasoned];
    expect(names.filter((name) => !covered.includes(name))).toEqual([]);
  });

  test("has no row or reason for a page that is not there, and no reason for one with a row", async () => {
    const found = await visited();
    expect(found.filter(({ name }) => name === undefined)).toEqual([]);
    expect(reasoned.filter((name) => !names.includes(name))).toEqual([]);
    expect(reasoned.filter((name) => found.some((one) => one.name === name))).toEqual([]);
    expect(reasoned.filter((name, index) => reasoned.indexOf(name) !== index)).toEqual([]);
  });
});
