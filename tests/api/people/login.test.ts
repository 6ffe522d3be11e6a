// Goal: a login starts a session that browsers keep safe and the server can end, and all failed logins look the same.

import { expect, test } from "bun:test";
import { DAY_MS, manualClock } from "../../kit/manual-clock.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { type ServiceOptions, type World, world } from "../../kit/service/world.ts";
import { type Client, errorIn } from "../../kit/http/client.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const PASSWORD = "correct horse battery";
const BAD_LOGIN = ["unauthenticated", "invalid username or password"] as const;
const BAD_TOKEN = {
  status: 401,
  code: "unauthenticated",
  message: "the token is not valid: it is unknown, revoked or expired",
  details: { credential: "invalid" },
};

async function withAnna(
  options: ServiceOptions = {},
): Promise<{ at: World; anna: { id: number; token: string } }> {
  const at = await world(options);
  const anna = await at.user("Anna");
  await at.admin.put(`/users/${anna.id}/password`, { password: PASSWORD });
  return { at, anna };
}

function login(client: Client, headers: Record<string, string> = {}) {
  return client.raw("POST", "/login", { body: { user: "anna", password: PASSWORD }, headers });
}

/** The session of a login's cookie, as a `Cookie` header. */
function cookieOf(response: Response): string {
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

test("returns the user and a token, and sets the same token as a cookie", async () => {
  const { at, anna } = await withAnna();
  await using _ = at;

  const response = await login(at.admin);

  const { user, token } = await response.json();
  expect(response.status).toBe(200);
  expect({ id: user.id, name: user.name, role: user.role }).toEqual({
    id: anna.id,
    name: "Anna",
    role: "member",
  });
  expect(token).toMatch(/^cairn_[A-Za-z0-9_-]{43}$/);
  expect(response.headers.get("set-cookie")).toBe(
    `cairn_session=${token}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict`,
  );
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("makes the cookie Secure exactly if a proxy in front terminates TLS", async () => {
  const { at } = await withAnna();
  await using _ = at;
  const secure = async (headers: Record<string, string>) =>
    (await login(at.admin, headers)).headers.get("set-cookie")!.includes("; Secure;");

  expect(await secure({})).toBe(false);
  expect(await secure({ "X-Forwarded-Proto": "http" })).toBe(false);
  expect(await secure({ "X-Forwarded-Proto": "https" })).toBe(true);
});

test("accepts the cookie alone, and prefers a bearer token", async () => {
  const { at } = await withAnna();
  await using _ = at;
  const cookie = cookieOf(await login(at.admin));
  const who = async (headers: Record<string, string>) =>
    (await at.admin.raw("GET", "/whoami", { headers })).json();

  expect(await who({ Cookie: cookie })).toMatchObject({ name: "Anna", auth: "session" });
  expect(await who({ Cookie: `theme=dark; ${cookie}; other=1` })).toMatchObject({
    name: "Anna",
    auth: "session",
  });
  expect(await who({ Cookie: cookie, Authorization: `Bearer ${at.program.token}` })).toMatchObject({
    name: "admin",
    auth: "token",
  });
  expect(await refusalOf(at.as("cairn_wrong").get("/whoami"))).toEqual(BAD_TOKEN);
});

test("refuses an invalid cookie, even on loopback, clears it where a page asks who it is, and still allows logging in", async () => {
  const { at } = await withAnna();
  await using _ = at;
  const stale = { Cookie: "cairn_session=cairn_gone" };
  const cleared = "cairn_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";

  for (const path of ["/whoami", "/users", "/workspaces/1/events", "/workspaces/x/entries"]) {
    const refused = await at.admin.raw("GET", path, { headers: stale });
    // Any other answer may arrive after a login.
    expect(refused.headers.get("set-cookie")).toBe(path === "/whoami" ? cleared : null);
    expect(await refusalOf(refused)).toMatchObject({ status: 401, message: BAD_TOKEN.message });
  }
  const byTls = await at.admin.raw("GET", "/whoami", { headers: { ...stale, "X-Forwarded-Proto": "https" } });
  expect([byTls.status, byTls.headers.get("set-cookie")]).toEqual([
    401,
    cleared.replace("; HttpOnly", "; Secure; HttpOnly"),
  ]);
  expect((await login(at.admin, stale)).status).toBe(200);
});

test("clears the cookie of an ended session, but not of a valid one or on other refusals", async () => {
  const clock = manualClock();
  const { at } = await withAnna({ clock });
  await using _ = at;
  const cookie = cookieOf(await login(at.admin));
  const answer = async (headers: Record<string, string>, path = "/whoami") => {
    const response = await at.admin.raw("GET", path, { headers: { Cookie: cookie, ...headers } });
    return [response.status, response.headers.get("set-cookie")];
  };

  expect(await answer({})).toEqual([200, null]);
  expect(await answer({}, "/users")).toEqual([403, null]);
  expect(await answer({ Authorization: "Bearer cairn_wrong" })).toEqual([401, null]);
  expect(await answer({ Authorization: "Basic x" })).toEqual([401, null]);
  clock.advance(31 * DAY_MS);
  expect(await answer({})).toEqual([401, "cairn_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"]);
});

test("ends only the presented session on logout", async () => {
  const { at } = await withAnna();
  await using _ = at;
  const first = cookieOf(await login(at.admin));
  const second = cookieOf(await login(at.admin));

  const out = await at.admin.raw("POST", "/logout", { headers: { Cookie: first } });

  expect(out.status).toBe(204);
  expect(out.headers.get("set-cookie")).toBe("cairn_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
  expect((await at.admin.raw("GET", "/whoami", { headers: { Cookie: first } })).status).toBe(401);
  expect((await at.admin.raw("GET", "/whoami", { headers: { Cookie: second } })).status).toBe(200);
});

test("answers an unknown user, a missing password and a wrong password alike", async () => {
  const { at } = await withAnna();
  await using _ = at;
  await at.user("bert");

  for (const user of ["nobody", "bert", "admin", "anna"]) {
    await refusal(at.admin.post("/login", { user, password: "not this one" }), ...BAD_LOGIN);
    await refusal(at.admin.post("/login", { user, password: "" }), ...BAD_LOGIN);
  }
});

test("finds a user regardless of case, outer white space and Unicode form", async () => {
  const { at } = await withAnna();
  await using _ = at;

  for (const user of ["anna", " ANNA ", "Ａｎｎａ"]) {
    expect((await at.admin.raw("POST", "/login", { body: { user, password: PASSWORD } })).status).toBe(200);
  }
});

test("refuses the eleventh login of a minute with Retry-After, even with the right password, until the minute is over", async () => {
  const clock = manualClock();
  const { at } = await withAnna({ clock });
  await using _ = at;
  clock.advance(1000);
  for (let count = 0; count < 10; count++)
    await refusalOf(at.admin.post("/login", { user: "nobody", password: "x" }));
  clock.advance(20_000);

  const refused = await login(at.admin);

  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("40");
  expect(refused.headers.get("set-cookie")).toBeNull();
  expect(errorIn(await refused.text())).toEqual({
    message: "too many attempts; try again in 40 s",
    code: "rate_limited",
    request_id: refused.headers.get("x-request-id")!,
    details: { retry_after_seconds: 40, limit: 10 },
  });
  clock.advance(40_000);
  expect((await login(at.admin)).status).toBe(200);
});

test("expires a session after 30 days without use", async () => {
  const clock = manualClock();
  const { at, anna } = await withAnna({ clock });
  await using _ = at;
  await at.admin.post(`/users/${anna.id}/tokens`);
  const { token: session } = await (await login(at.admin)).json();
  const idle = await at.admin.post("/login", { user: "anna", password: PASSWORD });

  for (let day = 0; day < 60; day += 20) {
    clock.advance(20 * DAY_MS);
    await at.as(session).get("/whoami");
  }

  expect(await refusalOf(at.as(idle.token).get("/whoami"))).toEqual(BAD_TOKEN);
  clock.advance(30 * DAY_MS);
  await at.as(session).get("/whoami");
  clock.advance(30 * DAY_MS + 1);
  expect(await refusalOf(at.as(session).get("/whoami"))).toEqual(BAD_TOKEN);
});

test("counts attempts by the address that a trusted proxy names, for IPv6 by its /64", async () => {
  const trusting = await temporaryFolder();
  await using _folder = trusting;
  const config = await trusting.write(
    "given.yaml",
    "allowed_hosts: [cairn.example]\ntrusted_proxies: [127.0.0.1]\n",
  );
  const { at } = await withAnna({ flags: { config } });
  await using _ = at;
  const from = async (address: string, password = "wrong password") => {
    const headers = { Host: "cairn.example", "X-Forwarded-For": address };
    const response = await at.admin.raw("POST", "/login", { body: { user: "anna", password }, headers });
    return response.status;
  };
  for (let last = 1; last <= 10; last++) expect(await from(`198.51.100.1, 2001:db8:1:2::${last}`)).toBe(401);
  expect(await from("2001:db8:1:2:ffff::1", PASSWORD)).toBe(429);
  expect(await from("2001:db8:1:3::1", PASSWORD)).toBe(200);
  // The client's own entries are on the left and change nothing.
  expect(await from("192.0.2.1, 2001:db8:1:2::1", PASSWORD)).toBe(429);
});

test("ignores forwarded addresses without trusted proxies", async () => {
  const { at } = await withAnna();
  await using _ = at;
  const from = async (address: string) => (await login(at.admin, { "X-Forwarded-For": address })).status;
  const statuses: number[] = [];
  for (let last = 1; last <= 11; last++) statuses.push(await from(`203.0.113.${last}`));
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
});
