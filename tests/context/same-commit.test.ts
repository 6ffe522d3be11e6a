// Goal: every change checks rights inside its write. A caller who loses them one step earlier in the same commit changes nothing, on any route. A
// new route that changes something needs a row here.

import { describe, expect, test } from "bun:test";
import { createRoutes } from "../../src/context/server.ts";
import { localCaller } from "../../src/context/identity/caller.ts";
import { peopleStore, type PeopleStore } from "../../src/context/people/store.ts";
import type { Users } from "../../src/context/people/users.ts";
import { webhookStore } from "../../src/context/webhooks/store.ts";
import type { DescribedRoute } from "../../src/kit/http/openapi.ts";
import { hashPassword } from "../../src/kit/secrets/passwords.ts";
import { openedContext, untilItWaits, type OpenedContext, type Sent } from "../kit/context/opened-context.ts";

const OPERATOR = localCaller("the test");
const KEY = "0123456789abcdef";
const DELIVERY = "0123456789abcdef01234567";
const B64 = btoa("late");

/** A change by an admin on each mutating route. They succeed one after another, in this order. */
const CHANGES: Readonly<Record<string, Omit<Sent, "method">>> = {
  "POST /users": { path: "/users", body: { name: "Mallory", role: "admin" } },
  "PATCH /users/:user": { path: "/users/Bob", body: { role: "admin" } },
  "PUT /users/:user/password": { path: "/users/Bob/password", body: { password: KEY } },
  "POST /users/:user/tokens": { path: "/users/Bob/tokens" },
  "DELETE /users/:user/tokens/:id": { path: "/users/Bob/tokens/2" },
  "DELETE /users/:user/tokens": { path: "/users/Bob/tokens" },
  "PUT /users/:user/acl": { path: "/users/Bob/acl", body: { rules: [] } },
  "DELETE /users/:user/acl": { path: "/users/Bob/acl" },
  "POST /users/:user/disable": { path: "/users/Bob/disable" },
  "POST /users/:user/enable": { path: "/users/Off/enable" },
  "DELETE /users/:user": { path: "/users/Bob" },
  "POST /spaces": { path: "/spaces", body: { name: "late", template: "blank" } },
  "PUT /spaces/:space/quotas": { path: "/spaces/team/quotas", body: { max_files: 99 } },
  "PUT /spaces/:space/sync": { path: "/spaces/team/sync", body: { "later/": "never" } },
  "POST /spaces/:space/snapshots": { path: "/spaces/team/snapshots", body: { name: "late" } },
  "POST /spaces/:space/snapshots/:id/restore": { path: "/spaces/team/snapshots/1/restore" },
  "POST /spaces/:space/adopt": { path: "/spaces/team/adopt" },
  "PUT /spaces/:space/files/*": { path: "/spaces/team/files/late.md", body: "late" },
  "POST /spaces/:space/undelete/*": { path: "/spaces/team/undelete/gone.md" },
  "DELETE /spaces/:space/versions/*": { path: "/spaces/team/versions/a.md?version=1" },
  "DELETE /spaces/:space/files/*": { path: "/spaces/team/files/a.md" },
  "POST /spaces/:space/push": {
    path: "/spaces/team/push",
    body: { ops: [{ op: "put", path: "pushed.md", content_b64: B64 }] },
  },
  "DELETE /spaces/:space": { path: "/spaces/other?confirm=other" },
  "POST /webhooks": { path: "/webhooks", body: { url: "http://93.184.215.14/late" } },
  "PATCH /webhooks/:id": { path: "/webhooks/1", body: { events: ["file.write"] } },
  "POST /webhooks/:id/secret": { path: "/webhooks/1/secret" },
  "POST /webhooks/:id/test": { path: "/webhooks/1/test" },
  "POST /deliveries/:delivery/redeliver": { path: `/deliveries/${DELIVERY}/redeliver` },
  "DELETE /webhooks/:id": { path: "/webhooks/1" },
  "DELETE /auth/token": { path: "/auth/token" },
};

/** Routes that change nothing or need no right, that no token suffices for, or that have nothing to acknowledge here. */
const NO_CHANGE = [
  "POST /audit/acknowledge",
  "POST /auth/login",
  "POST /spaces/:space/pull",
  "POST /spaces/:space/documents",
  "POST /backups",
  "DELETE /backups/:id",
];

/** Routes that check and act in one step without waiting for a write, so the right still exists before the commit. */
const IN_ONE_STEP = ["DELETE /spaces/:space"];

/** Calls the rules directly, because reading a body takes time: the write must be the next one after the commit. */
const LOSSES: Readonly<
  Record<string, { readonly lose: (users: Users) => Promise<unknown>; readonly status: number }>
> = {
  disabled: { lose: (users) => users.disable(OPERATOR, "Ann"), status: 401 },
  revoked: { lose: (users) => users.revokeTokens(OPERATOR, "Ann"), status: 401 },
  removed: { lose: (users) => users.remove(OPERATOR, "Ann"), status: 401 },
  demoted: { lose: (users) => users.update(OPERATOR, "Ann", { role: "viewer" }), status: 403 },
};

/** Everything that a row of the table could change, except Ann. */
async function everything({ ask }: OpenedContext): Promise<unknown> {
  const all: Record<string, unknown> = {};
  const users = await ask<{ name: string }[]>("GET", "/users");
  all["users"] = users.filter(({ name }) => name !== "Ann");
  for (const path of [
    "/users/Bob/tokens",
    "/users/Bob/acl",
    "/spaces",
    "/spaces/team/files?deleted=1",
    "/spaces/team/history/a.md",
    "/spaces/team/snapshots",
    "/webhooks",
    "/webhooks/1/deliveries",
  ])
    all[path] = await ask("GET", path);
  return all;
}

async function furnish({ ask, parts }: OpenedContext): Promise<void> {
  await ask("POST", "/users", { name: "Bob", role: "contributor" });
  await ask("PUT", "/users/Bob/acl", {
    rules: [{ effect: "deny", path: "team/x/**", capabilities: ["read"] }],
  });
  await ask("POST", "/users", { name: "Off", role: "viewer" });
  await ask("POST", "/users/Off/disable");
  await ask("POST", "/spaces", { name: "other", template: "blank" });
  await ask("PUT", "/spaces/team/files/a.md", "one");
  await ask("POST", "/spaces/team/snapshots", { name: "first" });
  await ask("PUT", "/spaces/team/files/a.md", "two");
  await ask("PUT", "/spaces/team/files/gone.md", "gone");
  await ask("DELETE", "/spaces/team/files/gone.md");
  await ask("POST", "/webhooks", { url: "http://93.184.215.14/", events: ["file.destroy"] });
  const { begin } = webhookStore(parts.db);
  parts.db.writeNow(() =>
    begin.run({
      id: DELIVERY,
      webhook_id: 1,
      event_seq: null,
      type: "webhook.test",
      body: "{}",
      created_at: 0,
    }),
  );
}

describe("a change in the same commit as the loss of its rights", () => {
  test("has a row for each mutating route", async () => {
    await using server = await openedContext();
    const routes = createRoutes(server.parts, server.log).routes as DescribedRoute[];
    const changing = routes
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
    expect(changing.toSorted()).toEqual([...Object.keys(CHANGES), ...NO_CHANGE].toSorted());
  });

  test("succeeds on each route for an admin who keeps the role", async () => {
    await using server = await openedContext();
    await furnish(server);
    for (const [route, { path, body }] of Object.entries(CHANGES)) {
      const response = await server.send(server.root, { method: route.split(" ")[0]!, path, body });
      expect([route, response.ok]).toEqual([route, true]);
    }
  });

  for (const [loss, { lose, status }] of Object.entries(LOSSES))
    test(`${loss}: ${status}, and nothing changes`, async () => {
      await using server = await openedContext();
      await furnish(server);
      const before = await everything(server);
      for (const [route, { path, body }] of Object.entries(CHANGES)) {
        if (IN_ONE_STEP.includes(route) || (loss === "demoted" && route === "DELETE /auth/token")) continue;
        const { token } = await server.ask<{ token: string }>("POST", "/users", {
          name: "Ann",
          role: "admin",
        });
        const lost = lose(server.parts.users);
        await untilItWaits();
        const change = server.send(token, { method: route.split(" ")[0]!, path, body });
        await lost;
        expect([route, (await change).status]).toEqual([route, status]);
        await server.send(server.root, { method: "DELETE", path: "/users/Ann" });
      }
      expect(await everything(server)).toEqual(before);
    });

  test("a deletion that waited for another change of the space checks again", async () => {
    await using server = await openedContext();
    await furnish(server);
    const { token } = await server.ask<{ token: string }>("POST", "/users", { name: "Ann", role: "admin" });
    const { spaces, users } = server.parts;
    const before = spaces.setQuotas(OPERATOR, "other", { max_files: 9 });
    await untilItWaits();
    const deletion = server.send(token, { method: "DELETE", path: "/spaces/other?confirm=other" });
    const lost = users.disable(OPERATOR, "Ann");
    await Promise.all([before, lost]);
    expect((await deletion).status).toBe(401);
    expect(await server.ask("GET", "/spaces/other")).toMatchObject({ name: "other" });
  });
});

describe("a login in progress", () => {
  const PASSWORD = "the old password";
  const ways: Readonly<Record<string, (store: PeopleStore, id: number, hash: string) => void>> = {
    "the password is reset": (store, id, hash) => void store.setPassword.run(hash, id),
    "the account is disabled": (store, id) => void store.setDisabled.run(1, id),
    "the account is removed": (store, id) => void store.deleteUser.run(id),
  };
  for (const [what, change] of Object.entries(ways))
    test(`gets no token when ${what} meanwhile, and locks no one out`, async () => {
      await using server = await openedContext();
      const { db } = server.parts;
      const store = peopleStore(db);
      await server.ask("POST", "/users", { name: "Ann", role: "admin" });
      await server.ask("PUT", "/users/Ann/password", { password: PASSWORD });
      const { id } = store.userByKey.get("ann")!;
      const hash = await hashPassword("the new password");
      for (const password of [PASSWORD, "a wrong password"]) {
        const login = server.send("", {
          method: "POST",
          path: "/auth/login",
          body: { name: "Ann", password },
        });
        await untilItWaits();
        db.writeNow(() => change(store, id, hash));
        expect((await login).status).toBe(401);
      }
      expect(store.tokensOf.all(id).filter(({ kind }) => kind === "session")).toEqual([]);
    });
});
