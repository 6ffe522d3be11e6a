// Goal: no route of the context API distinguishes hidden from missing, and who may call it is decided before anything else.

import { describe, expect, test } from "bun:test";
import { callerOf, declaredRoutes, type DeclaredRoute, nameOf } from "../kit/http/declared-routes.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";
import { contextServer, type ContextClient } from "../kit/context/context-server.ts";

const { routes } = declaredRoutes.context;

/** A URL of the route, with a body valid enough to reach the rules. */
function asked(route: DeclaredRoute, space: string): { method: string; path: string; body: unknown } {
  const path = route.path
    .replace("/api/v1", "")
    .replace(":space", space)
    .replace(":user", "nobody")
    .replace(":id", "1")
    .replace("*", "some/file.md");
  const version = path.includes("/versions/") ? "?version=1" : "";
  const query = path.endsWith("/changes") ? "?since=000000000000.0" : version;
  const bodies: Record<string, unknown> = {
    push: { ops: [] },
    pull: { paths: [] },
    documents: {},
    quotas: {},
    sync: {},
    snapshots: { name: "x" },
  };
  const last = path.split("/").at(-1)!;
  const body = ["POST", "PUT"].includes(route.method) ? bodies[last] : undefined;
  return { method: route.method, path: path + query, body };
}

async function answerTo(client: ContextClient, route: DeclaredRoute, space: string) {
  const { method, path, body } = asked(route, space);
  const refused = await refusalOf(client.raw(method, path, { body }));
  return { ...refused, message: refused.message.replaceAll(space, "SPACE") };
}

describe("hidden spaces", () => {
  test("no route reveals whether a hidden space exists", async () => {
    await using server = await contextServer({ config: { rate_limit: { enabled: false } } });
    await server.admin.post("/spaces", { name: "hidden", template: "blank" });
    await server.admin.raw("PUT", "/spaces/hidden/files/some/file.md", { body: "x" });
    const ofSpaces = routes.filter(({ path }) => path.includes("/:space"));
    expect(ofSpaces.length).toBeGreaterThan(15);
    for (const role of ["space-lead", "contributor", "viewer"] as const) {
      const client = await server.user(`only-${role}`, role, ["team"]);
      for (const route of ofSpaces) {
        const hidden = await answerTo(client, route, "hidden");
        const missing = await answerTo(client, route, "nosuch");
        expect([nameOf(route), hidden]).toEqual([nameOf(route), missing]);
        const expected = callerOf(route) === "admin" ? 403 : 404;
        expect([nameOf(route), hidden.status]).toEqual([nameOf(route), expected]);
      }
      expect((await client.get("/spaces")).map(({ name }) => name)).toEqual(["team"]);
    }
  });

  test("without a token, every route except the open ones is 401, before any other check", async () => {
    await using server = await contextServer();
    for (const route of routes.filter((one) => callerOf(one) !== "open")) {
      const { method, path } = asked(route, "team");
      for (const init of [{}, ...(method === "GET" ? [] : [{ body: "{not json" }])]) {
        await refusal(server.anonymous().raw(method, path, init), "unauthenticated");
      }
    }
  });

  test("admin routes are 403 for everyone else, whatever is sent", async () => {
    await using server = await contextServer();
    const lead = await server.user("Lee", "space-lead");
    for (const route of routes.filter((one) => callerOf(one) === "admin")) {
      const { method, path } = asked(route, "team");
      const answer = lead.raw(method, path, method === "GET" ? {} : { body: "{not json" });
      await refusal(answer, "forbidden", "only an admin may do that");
    }
  });

  test("missing rights are refused before invalid parameters, headers and bodies", async () => {
    await using server = await contextServer({ files: { "identity/me.md": "x" } });
    const refused = async (client: ContextClient, method: string, path: string, init: object = {}) =>
      [method, path, (await refusalOf(client.raw(method, `/spaces/team/${path}`, init))).status] as const;
    const wrong: [method: string, path: string, init?: object][] = [
      ["PUT", "quotas", { body: "{not json" }],
      ["PUT", "sync", { body: { "../": "never" } }],
      ["DELETE", "versions/identity/me.md?version=none"],
      ["POST", "snapshots/none/restore"],
      ["POST", "snapshots", { body: { name: "" } }],
      ["POST", "push", { body: { nonsense: 1 } }],
      ["PUT", "files/identity/me.md", { body: "x", headers: { "If-Match": "none" } }],
      ["DELETE", "files/identity/me.md", { headers: { "If-Match": "none" } }],
    ];
    const viewer = await server.user("Vic", "viewer");
    const outsider = await server.user("Otto", "space-lead", []);
    for (const [method, path, init] of wrong) {
      expect(await refused(viewer, method, path, init)).toEqual([method, path, 403]);
      expect(await refused(outsider, method, path, init)).toEqual([method, path, 404]);
    }
    for (const path of ["history/a.md?version=none", "files?deleted=perhaps", "changes"])
      expect(await refused(outsider, "GET", path)).toEqual(["GET", path, 404]);
  });
});
