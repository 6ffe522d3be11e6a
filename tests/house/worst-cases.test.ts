// Goal: every route of both programs is in the table of worst cases, or says there why it needs no row.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { CONTEXT_BOUNDED, CONTEXT_ROWS } from "../binary/worst-case/context-rows.ts";
import { SERVICE_BOUNDED, SERVICE_ROWS } from "../binary/worst-case/service-rows.ts";

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
