// Goal: every field of every JSON body: missing, of the wrong type, null, out of range, too long, unknown. Each is a 400 that names
// the field, and nothing is changed.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  fieldsOf,
  filledPath,
  fitting,
  misfits,
  withField,
  type DescribedRoute,
} from "../../kit/described-routes.ts";
import { everything, inhabited, routesOf, type Inhabited } from "../../kit/inhabited.ts";
import { searchable } from "../../kit/searching.ts";
import { refusalOf } from "../../kit/refusal.ts";

let lab: Inhabited;
let routes: DescribedRoute[];
let before: unknown;

beforeAll(async () => {
  lab = await inhabited();
  routes = (await routesOf(lab)).filter((route) => route.body !== undefined);
  before = await everything(lab);
});

afterAll(async () => {
  await lab[Symbol.asyncDispose]();
});

/** Where one field's rule is asked only when another's is kept. */
const SAMPLES: Readonly<Record<string, object>> = {
  "POST /gears": { name: "another_gear" },
  "PUT /gears/{id}": { name: "echo_args" },
};
/** Of the names tried as not the caller's to set: here they are. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  "PATCH /gears/{id}": ["status"],
  "POST /gears/{id}/run": ["workspace_id"],
};
/**
 * A program may be that long: 4 MiB with all its files, 413 beyond (gears.test.ts). A hash that names another query is 409, and so is
 * every decision on what is decided (egress/searching.test.ts).
 */
const LIMITED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "POST /gears": ["code"],
  "PUT /gears/{id}": ["code"],
  "POST /egress/requests/{id}/decision": ["query_hash"],
};

function baseOf(route: DescribedRoute): unknown {
  return { ...(fitting(route.body!) as object), ...SAMPLES[`${route.method} ${route.path}`] };
}

/** Sends a body that must not be taken; returns what was wrong with the refusal, if anything. */
async function wrongRefusal(
  route: DescribedRoute,
  body: string,
  field: string,
  message?: string,
): Promise<string[]> {
  const id = lab.ids[route.path.split("/")[1]!] ?? 0;
  const response = await lab.admin.raw(route.method, filledPath(route, { id }), { body });
  const text = await response.text();
  const { error } = JSON.parse(text === "" ? '{"error":{}}' : text) as {
    error?: { code?: string; message?: string };
  };
  const named =
    message === undefined
      ? error?.message?.startsWith(`${field}: `)
      : error?.message === `${field}: ${message}`;
  if (response.status === 400 && error?.code === "invalid" && named) return [];
  return [`${route.method} ${route.path} ${body.slice(0, 200)} → ${response.status} ${text.slice(0, 200)}`];
}

/** For every field of every route: the bodies to try, and the sentence expected after the field's name. */
async function forEachField(
  make: (
    base: unknown,
    field: ReturnType<typeof fieldsOf>[number],
    route: DescribedRoute,
  ) => { body: unknown; message?: string }[],
): Promise<{ tried: number; wrong: string[] }> {
  let tried = 0;
  const wrong: string[] = [];
  for (const route of routes) {
    for (const field of fieldsOf(route.body!)) {
      for (const { body, message } of make(baseOf(route), field, route)) {
        tried += 1;
        wrong.push(...(await wrongRefusal(route, JSON.stringify(body), field.path.join("."), message)));
      }
    }
  }
  return { tried, wrong };
}

test("the routes with bodies are those known", () => {
  expect(routes.map((route) => `${route.method} ${route.path}`).toSorted()).toEqual([
    "PATCH /agents/{id}",
    "PATCH /gears/{id}",
    "PATCH /models/{id}",
    "PATCH /providers/{id}",
    "PATCH /teams/{id}",
    "PATCH /users/{id}",
    "PATCH /workspaces/{id}",
    ...(searchable ? ["POST /egress/requests/{id}/decision"] : []),
    "POST /gears",
    "POST /gears/{id}/run",
    "POST /instruction-proposals/{id}/decision",
    "POST /instructions",
    "POST /login",
    "POST /models",
    "POST /providers",
    "POST /teams",
    "POST /users",
    "POST /workspaces",
    "POST /workspaces/{id}/agents",
    "POST /workspaces/{id}/chat",
    "POST /workspaces/{id}/clear-taint",
    "POST /workspaces/{id}/clone",
    "POST /workspaces/{id}/egress",
    "POST /workspaces/{id}/gears",
    "POST /workspaces/{id}/instructions",
    "POST /workspaces/{id}/wires",
    "PUT /gears/{id}",
    "PUT /instructions/{id}",
    "PUT /users/{id}/password",
  ]);
});

test("a required field that is missing", async () => {
  const { tried, wrong } = await forEachField((base, field) =>
    field.required ? [{ body: withField(base, field.path, undefined), message: "missing" }] : [],
  );
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(15);
});

test("values of every other type, null among them, and numbers out of range", async () => {
  const { tried, wrong } = await forEachField((base, field) =>
    misfits(field.schema).map((value) => ({ body: withField(base, field.path, value) })),
  );
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(150);
});

test("texts that are too long are refused, not cut", async () => {
  const { tried, wrong } = await forEachField((base, field, route) =>
    !LIMITED_ELSEWHERE[`${route.method} ${route.path}`]?.includes(field.path.join(".")) &&
    (field.schema.anyOf ?? [field.schema]).some((variant) => variant.type === "string")
      ? [{ body: withField(base, field.path, `https://${"x".repeat(500_000)}`) }]
      : [],
  );
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(15);
});

test("fields that are not the caller's to set, and unknown ones, also inside objects", async () => {
  const names = [
    "status",
    "version",
    "owner_id",
    "branch",
    "shared_branch",
    "team_ids",
    "id",
    "workspace_id",
    "orchestrator",
    "has_key",
    "__proto__",
    "constructor",
    "",
    "näme",
  ];
  const wrong: string[] = [];
  for (const route of routes) {
    const base = JSON.stringify(baseOf(route));
    for (const name of names.filter((each) => !OWN[`${route.method} ${route.path}`]?.includes(each))) {
      const body = base.replace(/\}$/, `${base === "{}" ? "" : ","}${JSON.stringify(name)}:1}`);
      wrong.push(...(await wrongRefusal(route, body, name === "" ? "body" : name, "unknown field")));
    }
    for (const field of fieldsOf(route.body!).filter(({ schema }) => fieldsOf(schema).length > 0)) {
      const body = withField(baseOf(route), [...field.path, "extra"], 1);
      wrong.push(
        ...(await wrongRefusal(
          route,
          JSON.stringify(body),
          `${field.path.join(".")}.extra`,
          "unknown field",
        )),
      );
    }
  }
  expect(wrong).toEqual([]);
});

test("an unknown field's name is not echoed at length", async () => {
  const { message } = await refusalOf(lab.admin.post("/teams", { name: "x", ["y".repeat(10_000)]: 1 }));
  expect(message).toBe(`${"y".repeat(100)}: unknown field`);
});

test("none of all this changed anything", async () => {
  expect(await everything(lab)).toEqual(before);
});
