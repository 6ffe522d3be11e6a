// Goal: a token authenticates its owner with their current rights at every request.

import { expect, test } from "bun:test";
import { peopleStore } from "../../../src/service/people/store.ts";
import { Authentication } from "../../../src/service/people/authentication.ts";
import type { Exchange } from "../../../src/kit/http/exchange.ts";
import { newToken, tokenHash } from "../../../src/kit/crypto.ts";
import { ClientAddresses } from "../../../src/kit/http/client-address.ts";
import { silent } from "../../kit/silent.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { DAY_MS, manualClock } from "../../kit/manual-clock.ts";
import { type World, world } from "../../kit/service/world.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const BAD_TOKEN = {
  status: 401,
  code: "unauthenticated",
  message: "the token is not valid: it is unknown, revoked or expired",
  details: { credential: "invalid" },
};
const REQUIRED = {
  status: 401,
  code: "unauthenticated",
  message: "authentication required: send Authorization: Bearer <token>",
  details: { credential: "missing" },
};

test("requires a token without the loopback privilege, and says so", async () => {
  await using at = await world();
  const proxied = { "X-Forwarded-For": "10.0.0.1" };

  const response = await at.admin.raw("GET", "/whoami", { headers: proxied });

  expect(response.headers.get("www-authenticate")).toBe("Bearer");
  expect(await refusalOf(response)).toMatchObject(REQUIRED);
  await refusal(
    at.admin.raw("GET", "/whoami", { headers: { "X-Mine": "1" } }),
    "unauthenticated",
    `${REQUIRED.message}; the header "x-mine" may come from a proxy, and only direct requests from this machine need no token`,
    { credential: "missing", header: "x-mine" },
  );
  const withToken = await at.admin.raw("GET", "/whoami", {
    headers: { ...proxied, Authorization: `bearer ${at.program.token}` },
  });
  expect(await withToken.json()).toEqual({
    id: 1,
    name: "admin",
    role: "admin",
    auth: "token",
    team_ids: [],
  });
});

test("asks for a token in the same words when an invalid one came from elsewhere", async () => {
  await using at = await world();
  for (const credential of [{ Authorization: "Bearer wrong" }, { Cookie: "cairn_session=wrong" }])
    await refusal(
      at.admin.raw("GET", "/whoami", { headers: { ...credential, "X-Forwarded-For": "10.0.0.1" } }),
      "unauthenticated",
      REQUIRED.message,
      { credential: "invalid" },
    );
});

test("refuses a wrong credential with 401 before anything else, even on loopback", async () => {
  await using at = await world();
  const refused = async (authorization: string) =>
    refusalOf(
      await at.admin.raw("PATCH", "/workspaces/x", {
        body: { nonsense: 1 },
        headers: { Authorization: authorization },
      }),
    );

  expect(await refused("Bearer cairn_unknown")).toEqual(BAD_TOKEN);
  expect(await refused(`Bearer ${"x".repeat(5000)}`)).toEqual(BAD_TOKEN);
  expect(await refused(`Bearer ${tokenHash(at.program.token)}`)).toEqual(BAD_TOKEN);
  for (const malformed of [
    "Bearer",
    "Bearer  ",
    at.program.token,
    `Basic ${btoa("admin:admin")}`,
    `Bearer ${at.program.token} x`,
  ]) {
    expect(await refused(malformed)).toEqual(REQUIRED);
  }
});

test("shows a token once and stores only its hash", async () => {
  await using folder = await temporaryFolder();
  const at = await world({ data: folder.path });
  const anna = await at.user("anna");
  const second = await at.admin.post(`/users/${anna.id}/tokens`);
  const listed = JSON.stringify(await at.admin.get("/users"));
  await at[Symbol.asyncDispose]();

  expect(listed).not.toContain(anna.token);
  expect(second.user).toEqual({
    id: anna.id,
    name: "anna",
    role: "member",
    has_password: false,
    tokens: 2,
    last_used_at: null,
    created_at: expect.any(String),
  });
  const stored = await Bun.file(`${folder.path}/service.db`).text();
  for (const token of [anna.token, second.token, at.program.token]) {
    expect(stored).not.toContain(token);
    expect(stored).toContain(tokenHash(token));
  }
});

test("applies a changed role from the next request", async () => {
  await using at = await world();
  const anna = await at.user("anna");
  await refusal(anna.get("/users"), "forbidden", "only an admin may do this");

  await at.admin.patch(`/users/${anna.id}`, { role: "admin" });
  expect(await anna.get("/users")).toHaveLength(2);

  await at.admin.patch(`/users/${anna.id}`, { role: "member" });
  await refusal(anna.get("/users"), "forbidden");
});

test("refuses revoked tokens and those of a deleted user from the next request", async () => {
  await using at = await world();
  const anna = await at.user("anna");
  const bert = await at.user("bert");
  await anna.get("/whoami");
  await bert.get("/whoami");

  expect(await at.admin.delete<unknown>(`/users/${anna.id}/tokens`)).toEqual({ revoked: 1 });
  await at.admin.delete(`/users/${bert.id}`);

  expect(await refusalOf(anna.get("/whoami"))).toEqual(BAD_TOKEN);
  expect(await refusalOf(bert.get("/whoami"))).toEqual(BAD_TOKEN);
});

test("ends open event streams when the viewer loses access", async () => {
  await using at = await world({ model: "silent" });
  const workspace = await at.workspace("lab");
  const [revoked, demoted, removed, left, staying] = await Promise.all([
    at.user("revoked"),
    at.user("demoted", "admin"),
    at.user("removed"),
    at.user("left"),
    at.user("staying"),
  ]);
  const team = await at.team("team", revoked, removed, left, staying);
  await at.admin.put(`/workspaces/${workspace.id}/teams/${team}`);
  const streams = await Promise.all(
    [revoked, demoted, removed, left, staying].map((user) =>
      user.events(`/workspaces/${workspace.id}/events`),
    ),
  );

  await at.admin.delete(`/users/${revoked.id}/tokens`);
  await at.admin.patch(`/users/${demoted.id}`, { role: "member" });
  await at.admin.delete(`/users/${removed.id}`);
  await at.admin.delete(`/teams/${team}/members/${left.id}`);

  for (const stream of streams.slice(0, 4)) expect(await stream.all()).toEqual([]);
  const agent = await at.in(workspace.id).agent("worker");
  expect((await streams[4]!.next())!.data.data).toEqual({ agent });
  await streams[4]!.response.body?.cancel().catch(() => {});
});

test("batches last-used times, and writes them at stop at the latest", async () => {
  await using folder = await temporaryFolder();
  const clock = manualClock();
  const used = async (at: World) =>
    (await at.admin.get("/users")).map((user) => [user.name, user.last_used_at]);
  const first = await world({ data: folder.path, clock });
  const anna = await first.user("anna");
  await anna.get("/whoami");
  clock.advance(5000);
  await anna.get("/whoami");
  expect(await used(first)).toEqual([
    ["admin", null],
    ["anna", null],
  ]);
  await first[Symbol.asyncDispose]();

  await using second = await world({ data: folder.path, clock });
  expect(await used(second)).toEqual([
    ["admin", null],
    ["anna", "2026-01-01T12:00:05.000Z"],
  ]);
});

test("does not treat a session in use as idle after writing last-used times", async () => {
  await using folder = await temporaryFolder();
  const clock = manualClock();
  const db = openDatabase(`${folder.path}/people.db`);
  migrate(db, migrations, clock.now());
  const store = peopleStore(db);
  const token = newToken();
  db.writeNow(() =>
    store.insertToken.get({
      user_id: store.insertUser.get({
        name: "anna",
        name_key: "anna",
        role: "member",
        created_at: clock.now(),
      })!.id,
      hash: tokenHash(token),
      kind: "session",
      created_at: clock.now(),
    }),
  );
  const authentication = new Authentication({
    store,
    db,
    clock,
    log: silent,
    addresses: new ClientAddresses("trusted_proxies", []),
  });
  const exchange = {
    id: "1",
    headers: { authorization: `Bearer ${token}` },
    peer: () => undefined,
    peerOwner: () => undefined,
    loopbackPrivilege: () => false,
    privilegeLostBy: () => undefined,
    isDirectLocal: () => false,
  } as unknown as Exchange;

  for (let day = 0; day < 60; day += 20) {
    expect(authentication.caller(exchange)).toMatchObject({ name: "anna", auth: "session" });
    await authentication.flushLastUsed();
    clock.advance(20 * DAY_MS);
  }
  expect(authentication.caller(exchange).name).toBe("anna");
  await authentication.flushLastUsed();
  db.close();
});
