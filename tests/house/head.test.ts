// Goal: HEAD of every route that can be read answers at once and as GET does; an event stream too.

import { expect, test } from "bun:test";
import { contextServer, SPACE } from "../kit/context/context-server.ts";
import { say } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";
import { WAIT_LIMIT_MS } from "../kit/wait-limit.ts";
import contextApi from "../golden/context-openapi.json";
import serviceApi from "../golden/openapi.json";

interface Lab {
  readonly url: string;
  readonly token: string;
  readonly api: { readonly paths: object };
  /** In place of the parameters of a path. */
  readonly known: Readonly<Record<string, string>>;
}

/** Returns the routes whose two answers differ, and the number of routes. */
async function differences({
  url,
  token,
  api,
  known,
}: Lab): Promise<{ differing: string[]; routes: number }> {
  const readable = Object.entries(api.paths).flatMap(([path, methods]) => ("get" in methods ? [path] : []));
  const differing: string[] = [];
  for (const path of readable) {
    const place = url + path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "1");
    const [get, head] = [await statusOf(place, token, "GET"), await statusOf(place, token, "HEAD")];
    if (get !== head) differing.push(`${path}: GET ${get}, HEAD ${head}`);
  }
  return { differing, routes: readable.length };
}

async function statusOf(place: string, token: string, method: string): Promise<number | string> {
  // An event stream would take for ever.
  const signal = AbortSignal.timeout(WAIT_LIMIT_MS);
  try {
    const response = await fetch(place, { method, headers: { Authorization: `Bearer ${token}` }, signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return String(error);
  }
}

test("the service answers HEAD like GET on every route", async () => {
  await using lab = await world({ model: { boss: [say("done")] }, people: { ann: "admin" } });
  await lab.chat("go");
  const known = { id: String(lab.workspaceId) };
  const { differing, routes } = await differences({
    url: lab.url,
    token: lab.people.ann.token,
    api: serviceApi,
    known,
  });
  expect(differing).toEqual([]);
  expect(routes).toBeGreaterThan(50);
});

test("the context server answers HEAD like GET on every route", async () => {
  await using server = await contextServer({ files: { "a.md": "one" } });
  const { token } = await server.user("eve", "admin");
  const known = { space: SPACE, user: "eve" };
  const { differing, routes } = await differences({ url: server.url, token, api: contextApi, known });
  expect(differing).toEqual([]);
  expect(routes).toBeGreaterThan(20);
});
