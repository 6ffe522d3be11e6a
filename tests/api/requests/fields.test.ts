// Goal: every field of every JSON body that is missing, of the wrong type, null, out of range, too long or unknown is a 400 that names the field
// and changes nothing.

import { beforeAll, expect, test } from "bun:test";
import {
  fieldsOf,
  filledPath,
  fitting,
  misfits,
  withField,
  type DescribedRoute,
} from "../../kit/http/described-routes.ts";
import { errorIn } from "../../kit/http/client.ts";
import { shared } from "../../kit/group-resource.ts";
import { everything, inhabited, routesOf } from "../../kit/service/inhabited.ts";
import { searchable } from "../../kit/service/searching.ts";
import { refusalOf } from "../../kit/http/refusal.ts";

const lab = shared(inhabited);
let routes: DescribedRoute[];
let before: unknown;

beforeAll(async () => {
  routes = (await routesOf(lab)).filter((route) => route.body !== undefined);
  before = await everything(lab);
});

/** Fields whose rule applies only if another's is satisfied. */
const SAMPLES: Readonly<Record<string, object>> = {
  "POST /gears": { name: "another_gear" },
  "PUT /gears/{id}": { name: "echo_args" },
  "POST /context/restore": { path: "notes.md" },
};
/** Tested names that the caller may set after all. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  "PATCH /gears/{id}": ["status"],
  "POST /gears/{id}/run": ["workspace_id"],
  "POST /context/restore": ["version"],
};
/**
 * A program may have this length: 4 MiB with all its files, 413 beyond (gears.test.ts). A hash of another query is 409, and so is every
 * decision on a decided request (egress/searching.test.ts).
 */
const LIMITED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "POST /gears": ["code"],
  "PUT /gears/{id}": ["code"],
  "POST /egress/requests/{id}/decision": ["query_hash"],
};

function baseOf(route: DescribedRoute): unknown {
  return { ...(fitting(route.body!) as object), ...SAMPLES[`${route.method} ${route.path}`] };
}

/** Sends an invalid body, and returns the problem with the refusal, if any. */
async function wrongRefusal(
  route: DescribedRoute,
  body: string,
  field: string,
  message?: string,
): Promise<string[]> {
  const id = lab.ids[route.path.split("/")[1]!] ?? 0;
  const response = await lab.admin.raw(route.method, filledPath(route, { id }), { body });
  const text = await response.text();
  const error = errorIn(text);
  const named =
    message === undefined
      ? error?.message.startsWith(`${field}: `)
      : error?.message === `${field}: ${message}`;
  if (response.status === 400 && error?.code === "invalid" && named) return [];
  return [`${route.method} ${route.path} ${body.slice(0, 200)} → ${response.status} ${text.slice(0, 200)}`];
}

/** The bodies to try for every field of every route, with the message expected after the field's name. */
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

test("covers all routes with bodies", () => {
  expect(routes.map((route) => `${route.method} ${route.path}`).toSorted()).toEqual([
    "PATCH /agents/{id}",
    "PATCH /gears/{id}",
    "PATCH /models/{id}",
    "PATCH /providers/{id}",
    "PATCH /teams/{id}",
    "PATCH /users/{id}",
    "PATCH /workspaces/{id}",
    "POST /context/restore",
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
    "POST /workspaces/{id}/context",
    "POST /workspaces/{id}/egress",
    "POST /workspaces/{id}/gears",
    "POST /workspaces/{id}/instructions",
    "POST /workspaces/{id}/wires",
    "PUT /gears/{id}",
    "PUT /instructions/{id}",
    "PUT /users/{id}/password",
    "PUT /workspaces/{id}/branch",
  ]);
});

test("refuses a missing field", async () => {
  const { tried, wrong } = await forEachField((base, field) =>
    field.required ? [{ body: withField(base, field.path, undefined), message: "missing" }] : [],
  );
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(15);
});

test("refuses values of other types, including null, and numbers out of range", async () => {
  // Any whole number may name a model, and one that names none is 404 (workspaces.test.ts).
  const namesModel = (path: readonly string[], value: unknown) =>
    path.join(".") === "orchestrator_model_id" && Number.isInteger(value);
  const { tried, wrong } = await forEachField((base, { schema, path }, route) =>
    misfits(schema)
      .filter((value) => route.path !== "/workspaces" || !namesModel(path, value))
      .map((value) => ({ body: withField(base, path, value) })),
  );
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(150);
});

test("refuses long texts without truncating them", async () => {
  const { tried, wrong } = await forEachField((base, field, route) =>
    !LIMITED_ELSEWHERE[`${route.method} ${route.path}`]?.includes(field.path.join(".")) &&
    (field.schema.anyOf ?? [field.schema]).some((variant) => variant.type === "string")
      ? [{ body: withField(base, field.path, `https://${"x".repeat(500_000)}`) }]
      : [],
  );
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(15);
});

test("refuses read-only and unknown fields, including nested ones", async () => {
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

test("does not echo a long name of an unknown field", async () => {
  const { message } = await refusalOf(lab.admin.post("/teams", { name: "x", ["y".repeat(10_000)]: 1 }));
  expect(message).toBe(`${"y".repeat(100)}: unknown field`);
});

test("changed nothing in any of these tests", async () => {
  expect(await everything(lab)).toEqual(before);
});
