// Goal: every route refuses a body that is not a JSON object of the right type and size, with the right error, and changes nothing.

import { beforeAll, expect, test } from "bun:test";
import { errorIn } from "../../kit/http/client.ts";
import { filledPath, type DescribedRoute } from "../../kit/http/described-routes.ts";
import { shared } from "../../kit/group-resource.ts";
import { everything, inhabited, routesOf } from "../../kit/service/inhabited.ts";
import { rawRequest } from "../../kit/http/raw-http.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const MIB = 1024 * 1024;

const lab = shared(inhabited);
let routes: DescribedRoute[];
/** Which take no body at all. */
let bodiless: DescribedRoute[];
let before: unknown;

beforeAll(async () => {
  const all = await routesOf(lab);
  routes = all.filter((route) => route.body !== undefined);
  bodiless = all.filter(
    ({ method, hasBody }) => !hasBody && ["POST", "PUT", "PATCH", "DELETE"].includes(method),
  );
  before = await everything(lab);
});

async function refusals(init: (route: DescribedRoute) => RequestInit, of = routes): Promise<object[]> {
  return Promise.all(
    of.map(async (route) => {
      const path = filledPath(route, { id: lab.ids[route.path.split("/")[1]!] ?? 0 });
      const response = await fetch(`${lab.url}/api/v1${path}`, { method: route.method, ...init(route) });
      const { status, code, message } = await refusalOf(response);
      return { route: `${route.method} ${route.path}`, status, code, message };
    }),
  );
}

/** Routes whose body may contain a gear's code, 4 MiB as base64. */
const LARGER = ["POST /gears", "PUT /gears/{id}"];
const limitOf = ({ method, path }: DescribedRoute) => (LARGER.includes(`${method} ${path}`) ? 6 : 1) * MIB;

function every(status: number, code: string, message: string, of = routes): object[] {
  return of.map((route) => ({ route: `${route.method} ${route.path}`, status, code, message }));
}

const JSON_TYPE = { "Content-Type": "application/json" };

test("refuses invalid JSON", async () => {
  for (const body of ["{", "{'a':1}", '{"a":1}x', "undefined", " ", '{"a":"\t"}', "\ufeff{"]) {
    expect(await refusals(() => ({ body, headers: JSON_TYPE }))).toEqual(
      every(400, "invalid", "the body is not valid JSON"),
    );
  }
  const latin1 = new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]);
  expect(await refusals(() => ({ body: latin1, headers: JSON_TYPE }))).toEqual(
    every(400, "invalid", "the body is not valid JSON"),
  );
});

test("refuses JSON that is nested too deeply", async () => {
  const nested = (open: string, close: string, depth: number) =>
    open.repeat(depth) + "1" + close.repeat(depth);
  for (const body of ["[".repeat(500_000), nested('{"a":', "}", 65), `{"name":${nested("[", "]", 64)}}`]) {
    expect(await refusals(() => ({ body, headers: JSON_TYPE }))).toEqual(
      every(400, "invalid", "the body is nested more than 64 deep"),
    );
  }
});

test("refuses a key that is there twice, also by another spelling and inside, and takes one in two objects", async () => {
  const bodies = {
    '{"name":"a","name":"b"}': "name",
    '{"role":"member","r\\u006fle":"admin"}': "role",
    '{"x":[{"\\"y\\\\":1, "z":"}\\"" , "\\"y\\\\" :2}]}': '"y\\',
    '{"__proto__":1,"__proto__":2}': "__proto__",
    '{"x":{"":1,"":2}}': '""',
  };
  for (const [body, key] of Object.entries(bodies))
    expect(await refusals(() => ({ body, headers: JSON_TYPE }))).toEqual(
      every(400, "invalid", `${key}: given twice`),
    );
  const twoObjects = await lab.admin.raw("POST", "/teams", { body: '{"x":[{"a":"\\":"},{"a":":"}]}' });
  expect(await twoObjects.json()).toMatchObject({ error: { message: "name: missing" } });
});

test("refuses JSON other than an object", async () => {
  for (const body of ["[]", "[{}]", '"text"', "1", "true", "null"]) {
    expect(await refusals(() => ({ body, headers: JSON_TYPE }))).toEqual(
      every(400, "invalid", "body: expected an object"),
    );
  }
});

test("refuses text that cannot be stored as it is, and takes a whole surrogate pair", async () => {
  const places = {
    '{"name":"\\ud800"}': "name",
    '{"\\uDFFFx":1}': "body",
    '{"name":["x",{"y":"\\ude00\\ud83d"}]}': "name.1.y",
  };
  for (const [body, place] of Object.entries(places))
    expect(await refusals(() => ({ body, headers: JSON_TYPE }))).toEqual(
      every(400, "invalid", `${place}: not valid Unicode`),
    );
  const pair = await lab.admin.raw("POST", "/teams", { body: '{"n\\ud83d\\ude00":1}' });
  expect(await pair.json()).toMatchObject({ error: { message: "name: missing" } });
});

test("refuses a field where a route takes none", async () => {
  expect(bodiless.length).toBeGreaterThan(10);
  expect(await refusals(() => ({ body: '{"force":true}', headers: JSON_TYPE }), bodiless)).toEqual(
    every(400, "invalid", "force: unknown field", bodiless),
  );
});

test("refuses a missing body", async () => {
  const needing = routes.filter((route) => route.bodyRequired);
  const optional = routes.filter((route) => !route.bodyRequired);
  expect(optional.map((route) => route.path)).toEqual(["/workspaces/{id}/clone", "/gears/{id}/run"]);
  for (const route of needing) {
    const path = filledPath(route, { id: lab.ids[route.path.split("/")[1]!] ?? 0 });
    await refusal(lab.admin.raw(route.method, path), "invalid", "body: expected an object");
  }
});

test("refuses other content types, including parameters", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json5",
    "",
  ]) {
    const found = await refusals(() => ({
      body: new Blob(["{}"], { type: "" }),
      headers: type === "" ? {} : { "Content-Type": type },
    }));
    expect(found).toEqual(
      routes.map((route) => ({
        route: `${route.method} ${route.path}`,
        status: 400,
        code: "invalid",
        message:
          route.method === "POST"
            ? "a POST body needs Content-Type: application/json"
            : "a body needs Content-Type: application/json",
      })),
    );
  }
});

test("refuses a body over 1 MiB, or 6 MiB with gear code, with a declared length or in chunks", async () => {
  const tooLarge = routes.map((route) => ({
    route: `${route.method} ${route.path}`,
    status: 413,
    code: "too_large",
    message: `the body is larger than ${limitOf(route)} bytes`,
  }));
  const padded = (bytes: number) => `{${" ".repeat(bytes - 2)}}`;
  const over = (route: DescribedRoute) => padded(limitOf(route) + 1);
  expect(await refusals((route) => ({ body: over(route), headers: JSON_TYPE }))).toEqual(tooLarge);
  expect(await refusals((route) => ({ body: inChunks(over(route)), headers: JSON_TYPE }))).toEqual(tooLarge);
  const gear = await lab.admin.raw("POST", "/gears", { body: padded(6 * MIB) });
  expect(await gear.json()).toMatchObject({ error: { message: "name: missing" } });
  const fits = await lab.admin.raw("POST", "/teams", { body: padded(MIB) });
  expect(await fits.json()).toMatchObject({ error: { message: "name: missing" } });
});

function inChunks(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + 65_536));
      at += 65_536;
    },
  });
}

test("refuses a too large declared length before the body arrives, and two framings at once", async () => {
  const { hostname, port } = new URL(lab.url);
  const target = { host: hostname, port: Number(port) };
  const head = `POST /api/v1/teams HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n`;

  const early = await rawRequest(target, `${head}Content-Length: ${MIB + 1}\r\n\r\n`);
  expect({ status: early.status, ...errorIn(early.body) }).toMatchObject({
    status: 413,
    code: "too_large",
    details: { limit_bytes: MIB },
  });
  const both = await rawRequest(
    target,
    `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  );
  expect(both.status).toBe(400);
});

test("changed nothing in any of these tests", async () => {
  expect(await everything(lab)).toEqual(before);
});
