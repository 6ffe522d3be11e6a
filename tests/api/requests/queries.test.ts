// Goal: in both programs every query parameter that is out of range, too long, too short or no word of its list is a 400 that names it, also where
// there is nothing to find.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { createLocalSpace } from "../../../src/context/space/local.ts";
import type { Client } from "../../kit/http/client.ts";
import { contextServer, SPACE } from "../../kit/context/context-server.ts";
import { describedRoutes, type DescribedRoute, type JsonSchema } from "../../kit/http/described-routes.ts";
import { inhabited, routesOf, type Inhabited } from "../../kit/service/inhabited.ts";
import { localDeps } from "../../kit/context/space-doors.ts";

type Parameter = DescribedRoute["parameters"][number];

/** Of required parameters while another one is tried. */
const SAMPLES: Readonly<Record<string, string>> = {
  path: "notes.md",
  q: "sea",
  since: "0",
  to: "1",
  turn: "1",
  user: "root",
  version: "1",
};
/** Checked before the parameters. */
const BODIES: Readonly<Record<string, string>> = { "POST /gears/{id}/run": "{}" };

function misfits(schema: JsonSchema): string[] {
  if (schema.enum) return ["no such word", ""];
  if (schema.type === "integer")
    return ["", "x", "1.5", String(schema.minimum! - 1), String(schema.maximum! * 2 + 2)];
  const { maxLength, minLength = 0 } = schema;
  const long = maxLength === undefined ? [] : ["x".repeat(maxLength + 1)];
  return [...long, ...(minLength > 0 ? [""] : [])];
}

function queryWith(route: DescribedRoute, parameter: Parameter, value: string): URLSearchParams {
  const required = route.parameters.filter((each) => each.in === "query" && each.required);
  return new URLSearchParams({
    ...Object.fromEntries(required.map(({ name }) => [name, SAMPLES[name]!])),
    [parameter.name]: value,
  });
}

/** The values that were not refused by name, with the answers to them. */
async function taken(
  client: Client,
  routes: readonly DescribedRoute[],
  pathOf: (route: DescribedRoute) => string,
) {
  const wrong: unknown[] = [];
  let tried = 0;
  for (const route of routes)
    for (const parameter of route.parameters.filter((each) => each.in === "query"))
      for (const value of misfits(parameter.schema)) {
        tried += 1;
        const name = `${route.method} ${route.path}`;
        const address = `${pathOf(route)}?${queryWith(route, parameter, value)}`;
        const body = BODIES[name];
        const response = await client.raw(route.method, address, body === undefined ? {} : { body });
        const text = await response.text();
        const { code, details } = response.status === 400 ? JSON.parse(text).error : {};
        if (code !== "invalid" || details?.field !== parameter.name)
          wrong.push([name, parameter.name, value.slice(0, 40), response.status, text.slice(0, 200)]);
      }
  return { wrong, tried };
}

async function emptySpace(lab: Inhabited): Promise<void> {
  const directory = join(lab.data, ".cairn", "space");
  await (await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps)).close();
}

test("the service refuses every bad query parameter by name", async () => {
  await using lab = await inhabited();
  await emptySpace(lab);
  const pathOf = ({ path }: DescribedRoute) => path.replace("{id}", String(lab.ids[path.split("/")[1]!]));
  const { wrong, tried } = await taken(lab.admin, await routesOf(lab), pathOf);
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(150);
});

test("the context server refuses every bad query parameter by name", async () => {
  await using server = await contextServer();
  const client = server.admin as unknown as Client;
  const pathOf = ({ path }: DescribedRoute) => path.replace("{space}", SPACE).replace("{path}", "notes.md");
  const { wrong, tried } = await taken(client, await describedRoutes(client), pathOf);
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(70);
});
