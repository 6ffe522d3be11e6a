// Goal: tokens, roles, login and lockout work as specified and apply from the next request, and no token is stored on disk.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { DAY_MS, manualClock, MINUTE_MS } from "../kit/manual-clock.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const PASSWORD = "correct horse battery";
const INVALID_TOKEN = [
  "unauthenticated",
  "the token is not valid: it is unknown, revoked or expired",
  { credential: "invalid" },
] as const;
const INVALID = { status: 401, code: "unauthenticated", message: "invalid credentials" };

const login = (server: ContextServer, name: string, password: string) =>
  server.anonymous().raw("POST", "/auth/login", { body: { name, password } });
const signedIn = (server: ContextServer, name: string) =>
  server.anonymous().post("/auth/login", { name, password: PASSWORD });
const whoami = (server: ContextServer, token: string) => server.as(token).raw("GET", "/auth/whoami");

describe("tokens", () => {
  test("the bootstrap token expires after 24 hours, whatever auth.token_ttl says", async () => {
    const clock = manualClock();
    await using server = await contextServer({ clock, config: { auth: { token_ttl: 0 } } });
    const { token } = await server.admin.post("/users/root/tokens", { label: "long" });
    clock.advance(DAY_MS - 1);
    expect((await whoami(server, server.bootstrap)).status).toBe(200);
    clock.advance(1);
    await refusal(whoami(server, server.bootstrap), ...INVALID_TOKEN);
    clock.advance(1000 * DAY_MS);
    expect((await whoami(server, token)).status).toBe(200);
  });

  test("auth.token_ttl refuses older tokens on use, and the next start removes them", async () => {
    const clock = manualClock();
    await using server = await contextServer({ clock, config: { auth: { token_ttl: 2 } } });
    const old = await server.admin.post("/users/root/tokens", {});
    expect(old.expires_at).toBe(new Date(clock.now() + 2 * DAY_MS).toISOString());
    clock.advance(2 * DAY_MS - 1);
    const young = await server.as(old.token).post("/users/root/tokens", {});
    clock.advance(1);
    await refusal(whoami(server, old.token), ...INVALID_TOKEN);
    const listed = async () => (await server.as(young.token).get("/users/root/tokens")).map(({ id }) => id);
    expect(await listed()).toEqual([young.id]);
    await server.restart();
    expect(await listed()).toEqual([young.id]);
    await refusal(whoami(server, old.token), ...INVALID_TOKEN);
  });

  test("no file contains a token, password or local key, except the two meant for them", async () => {
    await using server = await contextServer();
    const { token: given } = await server.admin.post("/users", { name: "Ann", role: "viewer" });
    const { token: made } = await server.admin.post("/users/Ann/tokens", { label: "laptop" });
    await server.admin.put("/users/Ann/password", { password: PASSWORD });
    const { token: session } = await signedIn(server, "Ann");
    await login(server, "Ann", `${PASSWORD} wrong`);
    await whoami(server, "cairn_wrong-canary");
    const door = JSON.parse(readFileSync(join(server.directory, "run", "server.json"), "utf8"));
    const tokens = { bootstrap: server.bootstrap, given, made, session, local: door.token as string };
    const secrets = { ...tokens, password: PASSWORD, wrong: "cairn_wrong-canary" };
    const found = (): string[] =>
      readdirSync(server.directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .flatMap((entry) => {
          const path = join(entry.parentPath, entry.name);
          const bytes = readFileSync(path);
          return Object.entries(secrets)
            .filter(([, secret]) => bytes.includes(secret))
            .map(([what]) => `${path.slice(server.directory.length + 1)}: ${what}`);
        })
        .toSorted();
    expect(found()).toEqual(["auth/bootstrap_admin.token: bootstrap", "run/server.json: local"]);
    await server.restart();
    expect(found()).toEqual(["auth/bootstrap_admin.token: bootstrap"]);
    const log = JSON.stringify(server.log);
    expect(Object.entries(secrets).filter(([, secret]) => log.includes(secret))).toEqual([]);
  });

  test("revoking takes effect immediately and returns a count; a listing never shows a token", async () => {
    await using server = await contextServer();
    const ann = await server.user("Ann", "viewer");
    const { id } = await server.admin.post("/users/Ann/tokens", { label: " laptop " });
    const tokens = await server.admin.get("/users/Ann/tokens");
    expect(tokens.map((token) => [Object.keys(token).toSorted().join(), token.kind, token.label])).toEqual([
      ["created_at,expires_at,id,kind,label,last_used_at", "token", "first token"],
      ["created_at,expires_at,id,kind,label,last_used_at", "token", "laptop"],
    ]);
    await server.admin.delete(`/users/Ann/tokens/${id}`);
    await refusal(server.admin.raw("DELETE", `/users/Ann/tokens/${id}`), "not_found");
    expect((await whoami(server, ann.token)).status).toBe(200);
    expect(await server.admin.delete("/users/Ann/tokens")).toEqual({ user: "Ann", revoked: 1 });
    await refusal(whoami(server, ann.token), ...INVALID_TOKEN);
    expect(await server.admin.delete("/users/Ann/tokens")).toEqual({ user: "Ann", revoked: 0 });
  });

  test("disabling revokes all tokens immediately, and enabling restores none", async () => {
    await using server = await contextServer();
    const ann = await server.user("Ann", "contributor");
    expect((await ann.raw("GET", "/spaces")).status).toBe(200);
    expect(await server.admin.post("/users/Ann/disable")).toMatchObject({ disabled: true, tokens: 0 });
    await refusal(ann.raw("GET", "/spaces"), ...INVALID_TOKEN);
    await refusal(
      server.admin.raw("POST", "/users/Ann/tokens", { body: {} }),
      "refused",
      "Ann is disabled; enable the account first",
    );
    expect(await server.admin.post("/users/Ann/enable")).toMatchObject({ disabled: false, tokens: 0 });
    expect((await ann.raw("GET", "/spaces")).status).toBe(401);
    const { token } = await server.admin.post("/users/Ann/tokens", {});
    expect((await whoami(server, token)).status).toBe(200);
  });

  test("a role and a list of spaces apply from the next request", async () => {
    await using server = await contextServer();
    const ann = await server.user("Ann", "viewer");
    const statuses = async () => [
      (await ann.raw("PUT", "/spaces/team/files/a.md", { body: "x" })).status,
      (await ann.raw("GET", "/users")).status,
      (await ann.raw("GET", "/spaces/team")).status,
    ];
    expect(await statuses()).toEqual([403, 403, 200]);
    await server.admin.patch("/users/Ann", { role: "contributor" });
    expect(await statuses()).toEqual([201, 403, 200]);
    await server.admin.patch("/users/Ann", { role: "admin" });
    expect(await statuses()).toEqual([200, 200, 200]);
    await server.admin.patch("/users/Ann", { role: "viewer", spaces: [] });
    expect(await statuses()).toEqual([404, 403, 404]);
  });

  test("a role is limited to existing spaces: a misspelt one is refused, one deleted since may stay", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.post("/spaces", { name: "other", template: "blank" });
    const unknown = ["invalid", 'spaces: unknown space "taem", "x"', { unknown: ["taem", "x"] }] as const;
    const body = { name: "Ann", role: "viewer", spaces: ["team", "taem", "x"] };
    await refusal(admin.raw("POST", "/users", { body }), ...unknown);
    await admin.post("/users", { ...body, spaces: ["team", "other"] });
    const patch = (spaces: string[]) => admin.raw("PATCH", "/users/Ann", { body: { spaces } });
    await refusal(patch(body.spaces), ...unknown);
    await admin.delete("/spaces/other?confirm=other");
    expect((await patch(["other"])).status).toBe(200);
    expect((await patch(["team"])).status).toBe(200);
    await refusal(patch(["other"]), "invalid");
  });

  test("a user cannot have a name that the audit record reserves", async () => {
    await using server = await contextServer();
    for (const name of ["root (this machine)", "Working Tree", " server "])
      await refusal(
        server.admin.raw("POST", "/users", { body: { name, role: "viewer" } }),
        "invalid",
        `name: "${name.trim()}" is a reserved name`,
      );
  });

  test("the last admin can be neither demoted nor disabled nor removed", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const refused = (attempt: Promise<unknown>, what: string) =>
      refusal(
        attempt,
        "refused",
        `root is the last admin and cannot be ${what}; make another user an admin first`,
      );
    await refused(admin.patch("/users/root", { role: "viewer" }), "demoted");
    await refused(admin.post("/users/root/disable"), "disabled");
    await refused(admin.delete("/users/root"), "deleted");
    const ann = await server.user("Ann", "admin");
    // A disabled admin does not count as another admin.
    await server.admin.post("/users/Ann/disable");
    await refused(admin.post("/users/root/disable"), "disabled");
    await server.admin.post("/users/Ann/enable");
    await server.admin.delete("/users/root");
    expect((await whoami(server, server.bootstrap)).status).toBe(401);
    expect((await ann.raw("GET", "/users")).status).toBe(401);
  });
});

describe("logging in", () => {
  const limited = (clock = manualClock(), auth_per_minute = 1000) =>
    contextServer({
      clock,
      config: { rate_limit: { enabled: true, requests_per_minute: 1000, auth_per_minute } },
    });
  /** Creates viewers with the password. */
  const withPassword = (server: ContextServer, ...names: string[]) =>
    Promise.all(
      names.map(async (name) => {
        await server.user(name, "viewer");
        await server.admin.put(`/users/${name}/password`, { password: PASSWORD });
      }),
    );
  /** Concurrent, because each attempt is as slow as it should be for an attacker. */
  const fail = async (server: ContextServer, name: string, times: number) => {
    const tries = Array.from({ length: times }, () => login(server, name, "wrong password"));
    for (const answer of await Promise.all(tries)) expect(answer.status).toBe(401);
  };

  test("returns a session token, which logout ends", async () => {
    await using server = await limited();
    await withPassword(server, "Ann");
    const answer = await signedIn(server, " ann ");
    expect(answer.user).toMatchObject({ name: "Ann", role: "viewer", has_password: true });
    expect(await (await whoami(server, answer.token)).json()).toEqual({
      name: "Ann",
      role: "viewer",
      spaces: null,
      auth: "session",
    });
    await server.as(answer.token).delete("/auth/token");
    await refusal(whoami(server, answer.token), ...INVALID_TOKEN);
  });

  test("every failure has the same response: unknown, wrong, token only, disabled, locked", async () => {
    await using server = await limited();
    await withPassword(server, "Ann", "Dan", "Lou");
    await server.user("Tom", "viewer");
    await server.admin.post("/users/Dan/disable");
    await fail(server, "Lou", 5);
    const wrong = [
      ["Ann", "wrong password"],
      ...["nobody", "Tom", "Dan", "Lou", ""].map((name) => [name, PASSWORD]),
    ];
    const answers = wrong.map(([name, password]) => refusalOf(login(server, name!, password!)));
    expect(await Promise.all(answers)).toEqual(wrong.map(() => INVALID));
  });

  test("five failures lock for fifteen minutes, a success resets the count, a token-only account never locks", async () => {
    const clock = manualClock();
    await using server = await limited(clock);
    await withPassword(server, "Ann");
    await server.user("Tom", "viewer");
    const lockOf = async (name: string) => (await server.admin.get(`/users/${name}`)).locked_until;
    await fail(server, "Ann", 4);
    expect((await login(server, "Ann", PASSWORD)).status).toBe(200);
    await fail(server, "Ann", 4);
    expect(await lockOf("Ann")).toBeNull();
    await fail(server, "Ann", 1);
    expect(await lockOf("Ann")).toBe(new Date(clock.now() + 15 * MINUTE_MS).toISOString());
    // Neither the right password nor wrong ones change the lock.
    clock.advance(14 * MINUTE_MS);
    await fail(server, "Ann", 2);
    clock.advance(MINUTE_MS - 1);
    expect((await login(server, "Ann", PASSWORD)).status).toBe(401);
    clock.advance(1);
    await fail(server, "Ann", 4);
    expect((await login(server, "Ann", PASSWORD)).status).toBe(200);
    await fail(server, "Tom", 6);
    expect(await lockOf("Tom")).toBeNull();
    const records = await server.admin.get("/audit?action=auth.locked");
    expect(records.map(({ target, result }) => [target, result])).toEqual([["Ann", "denied"]]);
  });

  test("counts concurrent guesses individually", async () => {
    await using server = await limited();
    await withPassword(server, "Ann");
    await fail(server, "Ann", 8);
    expect((await login(server, "Ann", PASSWORD)).status).toBe(401);
    await server.admin.post("/users/Ann/enable");
    expect((await login(server, "Ann", PASSWORD)).status).toBe(200);
  });

  test("allows ten attempts a minute per address, across accounts", async () => {
    const clock = manualClock();
    await using server = await limited(clock, 10);
    const statuses = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, async (_, index) => {
          return (await login(server, `nobody ${from + index}`, "wrong password")).status;
        }),
      );
    expect(await statuses(0, 10)).toEqual(Array(10).fill(401));
    expect(await statuses(10, 13)).toEqual([429, 429, 429]);
    // Only the first of consecutive refusals is audited.
    const records = await server.admin.get("/audit?action=auth.login");
    expect(records.map(({ error }) => error!.split(":")[0])).toEqual([
      "rate_limited",
      ...Array<string>(10).fill("unauthenticated"),
    ]);
    clock.advance(MINUTE_MS);
    expect((await login(server, "nobody", "wrong password")).status).toBe(401);
  });

  test("a new password ends the sessions of the old one and keeps tokens", async () => {
    await using server = await limited();
    const ann = await server.user("Ann", "viewer");
    await server.admin.put("/users/Ann/password", { password: PASSWORD });
    const { token } = await signedIn(server, "Ann");
    await server.admin.put("/users/Ann/password", { password: `${PASSWORD} 2` });
    expect((await whoami(server, token)).status).toBe(401);
    expect((await whoami(server, ann.token)).status).toBe(200);
    await refusal(server.admin.put("/users/Ann/password", { password: "short" }), "invalid");
  });
});
