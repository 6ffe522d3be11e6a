// Goal: rights are checked when a request acts, so that a credential revoked while the request is in flight stops it.

import { expect, test } from "bun:test";
import { filledPath, type DescribedRoute } from "../../kit/http/described-routes.ts";
import { holdChecking, holdHashing } from "../../kit/light-passwords.ts";
import { everything, inhabited, routesOf, type Inhabited } from "../../kit/service/inhabited.ts";
import { rawRequestInParts } from "../../kit/http/raw-http.ts";
import { world } from "../../kit/service/world.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const OPEN = ["POST /login"];

async function slowRoutes(lab: Inhabited): Promise<{ name: string; method: string; path: string }[]> {
  const idOf = (route: DescribedRoute) => ({ id: lab.ids[route.path.split("/")[1]!] ?? 0 });
  const routes = (await routesOf(lab))
    .filter(({ body, method, path }) => body !== undefined && !OPEN.includes(`${method} ${path}`))
    .map((route) => ({
      name: `${route.method} ${route.path}`,
      method: route.method,
      path: filledPath(route, idOf(route)),
    }));
  const path = `${lab.own}/file?path=late.txt`;
  return [...routes, { name: "PUT file", method: "PUT", path }];
}

test("changes nothing on any route if the body arrives after the token was revoked", async () => {
  await using lab = await inhabited();
  const late = await lab.user("late", "admin");
  const routes = await slowRoutes(lab);
  const { hostname: host, port } = new URL(lab.url);
  const rest = Promise.withResolvers<string>();
  const answers = routes.map(({ method, path }) =>
    rawRequestInParts(
      { host, port: Number(port) },
      `${method} /api/v1${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${late.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{`,
      rest.promise,
    ),
  );
  await lab.admin.delete(`/users/${late.id}/tokens`);
  const before = await everything(lab);
  rest.resolve("}");
  const got = (await Promise.all(answers)).map(({ status }, index) => `${routes[index]!.name} ${status}`);
  expect(got).toEqual(routes.map(({ name }) => `${name} 401`));
  expect(await everything(lab)).toEqual(before);
  expect(routes.length).toBeGreaterThan(25);
});

test("lets an admin's reset win over a user's own change of password, in any order", async () => {
  await using at = await world();
  const [first, own, reset] = ["the first password", "my own password", "the admin's password"] as const;
  for (let round = 0; round < 2; round++) {
    const ann = await at.user(`ann${round}`);
    await at.admin.put(`/users/${ann.id}/password`, { password: first });
    const { token } = await at.admin.post("/login", { user: `ann${round}`, password: first });
    const change = at.as(token).raw("PUT", `/users/${ann.id}/password`, {
      body: { password: own, current_password: first },
    });
    const set = at.admin.put(`/users/${ann.id}/password`, { password: reset });
    await Promise.all([change, set]);
    const login = (password: string) =>
      at.admin.raw("POST", "/login", { body: { user: `ann${round}`, password } });
    expect([(await login(own)).status, (await login(reset)).status]).toEqual([401, 200]);
  }
});

test("sets no password for an admin who is demoted during hashing", async () => {
  await using at = await world();
  const [boss, ann] = [await at.user("boss", "admin"), await at.user("ann")];
  const hashing = holdHashing();
  const setting = refusalOf(boss.put(`/users/${ann.id}/password`, { password: "by a former admin" }));
  await hashing.begun;
  await at.admin.patch(`/users/${boss.id}`, { role: "member" });
  hashing.go();
  expect(await setting).toMatchObject({ status: 403, code: "forbidden" });
  await refusal(at.admin.post("/login", { user: "ann", password: "by a former admin" }), "unauthenticated");
});

test("starts no session with a password that is reset during its check", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const [first, second] = ["the first password", "the admin's password"];
  await at.admin.put(`/users/${ann.id}/password`, { password: first });
  const checking = holdChecking();
  const login = refusalOf(at.admin.post("/login", { user: "ann", password: first }));
  await checking.begun;
  await at.admin.put(`/users/${ann.id}/password`, { password: second });
  checking.go();
  expect(await login).toMatchObject({ status: 401, message: "invalid username or password" });
  expect((await at.admin.get("/users")).find(({ id }) => id === ann.id)).toMatchObject({ tokens: 0 });
});

test("does not replace a password that the same session changed during hashing", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const [first, second, third] = ["the first password", "the second password", "the third password"];
  await at.admin.put(`/users/${ann.id}/password`, { password: first });
  const { token } = await at.admin.post("/login", { user: "ann", password: first });
  const change = (password: string) =>
    at.as(token).put(`/users/${ann.id}/password`, { password, current_password: first });
  const hashing = holdHashing();
  const late = refusalOf(change(second));
  await hashing.begun;
  // The session stays valid, so only the password tells that the first change is outdated.
  await change(third);
  hashing.go();
  expect(await late).toMatchObject({ status: 403, message: "current_password: not your current password" });
  await at.admin.post("/login", { user: "ann", password: third });
});
