// Goal: the console admits a person by name and password only, keeps the session in a cookie that nothing else can use, and refuses every form that
// is not from a page of that session.

import { beforeAll, describe, expect, test } from "bun:test";
import { systemClock, type Clock } from "../../src/kit/clock.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";
import {
  PASSWORD,
  signedIn,
  signIn,
  visitor,
  type ConsolePage,
  willSignIn,
  type Visitor,
} from "../kit/context/console.ts";

const HOUR_MS = 3_600_000;

describe("the console's door", () => {
  let ahead = 0;
  const clock: Clock = { now: () => systemClock.now() + ahead, elapsed: systemClock.elapsed };
  const listen = {
    address: "127.0.0.1",
    port: 0,
    trusted_proxies: ["127.0.0.1"],
    allowed_hosts: ["cairn.example"],
  };
  const server = shared(() => contextServer({ clock, config: { listen }, people: { ada: "viewer" } }));
  beforeAll(() => server.admin.put("/users/ada/password", { password: PASSWORD }));

  test("a browser is led to the form for signing in and back to the page it wanted", async () => {
    const one = visitor(server.url);
    const page = await one.get("/");
    expect([page.status, page.path, page.title]).toEqual([200, "/console/login", "Sign in · Cairn"]);
    const wanted = await one.get("/console/spaces?after=a");
    expect(wanted.path).toBe("/console/login?next=%2Fconsole%2Fspaces%3Fafter%3Da");
    const back = await one.submit(wanted, "/console/login", { name: "ada", password: PASSWORD });
    expect([back.status, back.path]).toEqual([200, "/console/spaces?after=a"]);
  });

  test.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/console\\..",
    "/api/v1",
    "javascript:1",
  ])("signing in never leads to %s", async (next) => {
    const one = visitor(server.url);
    const form = await one.get(`/console/login?next=${encodeURIComponent(next)}`);
    const page = await one.submit(form, "/console/login", { name: "ada", password: PASSWORD });
    expect([page.status, page.path]).toEqual([200, "/console"]);
  });

  test("every failure has the same sentence, and nothing tells an unknown name from a wrong password", async () => {
    await server.user("token-only", "viewer");
    const shown: [number, Record<string, string>][] = [];
    for (const [name, password] of [
      ["ada", "wrong password"],
      ["nobody", PASSWORD],
      ["token-only", PASSWORD],
      ["", ""],
    ] as const) {
      const page = await signIn(visitor(server.url), name, password);
      shown.push([page.status, page.problems]);
    }
    expect(shown).toEqual(Array.from({ length: 4 }, () => [401, { "": "invalid credentials" }]));
    expect((await server.audit("action=auth.login&result=denied")).length).toBeGreaterThanOrEqual(4);
  });

  test("five failures lock the account, as they do at the API", async () => {
    await server.user("eve", "viewer");
    await server.admin.put("/users/eve/password", { password: PASSWORD });
    for (let count = 0; count < 5; count += 1) await signIn(visitor(server.url), "eve", "wrong password");
    expect((await signIn(visitor(server.url), "eve", PASSWORD)).status).toBe(401);
    expect((await server.admin.get("/users/eve")).locked_until).not.toBeNull();
  });

  test("the cookie is HttpOnly, SameSite=Strict and no token of the API; only its hash is stored", async () => {
    const one = await signedIn(server, "ada");
    const [name, value] = [...one.cookies].find(([cookie]) => cookie.includes("session"))!;
    expect(name).toBe(`cairn-session-${new URL(server.url).port}`);
    const api = await fetch(`${server.url}/api/v1/auth/whoami`, { headers: { cookie: `${name}=${value}` } });
    const bearer = await fetch(`${server.url}/api/v1/auth/whoami`, {
      headers: { authorization: `Bearer ${value}` },
    });
    expect([api.status, bearer.status]).toEqual([401, 401]);
    const form = await visitor(server.url).get("/console/login");
    expect(form.headers.getSetCookie()[0]).toMatch(
      /^cairn-visitor-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const stored = await Bun.file(`${server.directory}/server.db`).bytes();
    const log = Bun.file(`${server.directory}/server.db-wal`);
    const all = Buffer.concat([stored, (await log.exists()) ? await log.bytes() : new Uint8Array()]);
    expect(all.includes(value)).toBe(false);
  });

  test("behind a trusted proxy with TLS, cookies have the __Host- prefix and one without it is worth nothing", async () => {
    const proxied = { host: "cairn.example", "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" };
    const one = visitor(server.url);
    const form = await one.get("/console/login", proxied);
    const [cookie] = form.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-cairn-visitor-\d+=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    const ada = await signedIn(server, "ada");
    expect((await ada.get("/console", proxied)).path).toBe("/console/login");
  });

  test("a session ends when it is not used, and at the latest after twelve hours", async () => {
    const one = await signedIn(server, "ada");
    const at = async (hours: number) => {
      ahead = hours * HOUR_MS;
      return (await one.get("/console")).path;
    };
    const paths = [
      await at(1.9),
      await at(3.8),
      await at(5.7),
      await at(7.6),
      await at(9.5),
      await at(11.4),
      await at(12.1),
    ];
    const other = await (async () => {
      const next = await signedIn(server, "ada");
      ahead += 2.1 * HOUR_MS;
      return (await next.get("/console")).path;
    })();
    ahead = 0;
    expect([...paths, other]).toEqual([
      ...Array.from({ length: 6 }, () => "/console"),
      "/console/login",
      "/console/login",
    ]);
  });

  test("a page that is merely open does not keep a session", async () => {
    const one = await signedIn(server, "ada");
    const live = async () => (await one.get("/console/live", { "sec-fetch-mode": "cors" })).path;
    ahead = 1.9 * HOUR_MS;
    const first = await live();
    ahead = 2.1 * HOUR_MS;
    const then = [await live(), (await one.get("/console")).path];
    ahead = 0;
    expect([first, ...then]).toEqual([
      "/console/live",
      "/console/login?next=%2Fconsole%2Flive",
      "/console/login",
    ]);
  });

  test("a disabled user, a deleted user and a changed password are out at once", async () => {
    const ended = async (end: () => Promise<unknown>) => {
      await server.user("bob", "admin");
      const one = await signedIn(server, "bob");
      await end();
      const page = await one.get("/console");
      await server.admin.delete("/users/bob");
      return page.path;
    };
    expect([
      await ended(() => server.admin.post("/users/bob/disable")),
      await ended(() => server.admin.put("/users/bob/password", { password: "another password" })),
    ]).toEqual(["/console/login", "/console/login"]);
    await server.user("bob", "viewer");
    const one = await signedIn(server, "bob");
    await server.admin.delete("/users/bob");
    expect((await one.get("/console")).path).toBe("/console/login");
  });

  test("rights are asked for when a page is opened", async () => {
    await server.user("carl", "admin");
    const one = await signedIn(server, "carl");
    expect((await one.get("/console")).text).toContain("Latest audit records");
    await server.admin.patch("/users/carl", { role: "viewer" });
    expect((await one.get("/console")).text).not.toContain("Latest audit records");
  });

  test("signing out ends the session on the server and is on record", async () => {
    const one = await signedIn(server, "ada");
    const kept = new Map(one.cookies);
    const page = await one.submit(await one.get("/console"), "/console/logout");
    expect(page.path).toBe("/console/login");
    for (const [name, value] of kept) one.cookies.set(name, value);
    expect((await one.get("/console")).path).toBe("/console/login");
    const [last] = await server.audit("action=auth.logout&limit=1");
    expect([last!.actor.name, last!.actor.auth, last!.result]).toEqual(["ada", "session", "ok"]);
  });
});

describe("a form", () => {
  const server = shared(() => contextServer({ people: { ada: "viewer" } }));
  let ada: Visitor;
  beforeAll(async () => void (ada = await signedIn(server, "ada")));

  const refused = ({ status, text }: ConsolePage) => [
    status,
    /expired|origin|another site|content type/i.exec(text)?.[0].toLowerCase(),
  ];

  test("without the token of its session, or with that of another one, changes nothing and is on record", async () => {
    const [one, other] = [ada, await signedIn(server, "root")];
    const foreign = (await other.get("/console")).forms[0]!.fields["csrf"]!;
    for (const csrf of ["", "x".repeat(64), foreign])
      expect(refused(await one.post("/console/logout", { csrf }))).toEqual([403, "expired"]);
    expect((await one.get("/console")).path).toBe("/console");
    const records = await server.audit("action=request.refused&result=denied");
    expect(records.map(({ actor, target }) => [actor.name, target])).toEqual(
      Array.from({ length: 3 }, () => ["ada", "POST /console/logout"]),
    );
  });

  test("for signing in is tied to the browser that loaded it", async () => {
    const form = await visitor(server.url).get("/console/login");
    const { csrf } = form.forms[0]!.fields as { csrf: string };
    const page = await visitor(server.url).post("/console/login", { csrf, name: "ada", password: PASSWORD });
    expect(refused(page)).toEqual([403, "expired"]);
  });

  test.each<[string, Record<string, string>, (string | number | undefined)[]]>([
    ["from another origin", { origin: "https://evil.example" }, [403, "origin"]],
    ["from a page that hides its origin", { origin: "null" }, [403, "origin"]],
    ["from another site", { "sec-fetch-site": "cross-site" }, [403, "another site"]],
    ["sent as JSON", { "content-type": "application/json" }, [400, "content type"]],
    ["sent as plain text", { "content-type": "text/plain" }, [400, "content type"]],
    ["with several parts", { "content-type": "multipart/form-data; boundary=a" }, [400, "content type"]],
    ["for another host", { host: "evil.example" }, [421, undefined]],
  ])("%s is refused before it is read", async (_, headers, expected) => {
    const one = ada;
    const page = await one.get("/console");
    const { csrf } = page.forms[0]!.fields as { csrf: string };
    expect(refused(await one.post("/console/logout", { csrf }, headers))).toEqual(expected);
    expect((await one.get("/console")).path).toBe("/console");
  });

  test("without an origin is refused", async () => {
    const one = ada;
    const cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const csrf = (await one.get("/console")).forms[0]!.fields["csrf"]!;
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ csrf }).toString();
    const answer = await fetch(`${server.url}/console/logout`, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
    });
    expect(answer.status).toBe(403);
  });

  test("that is sent twice does its work once, until the person sees a page; a refusal is judged each time", async () => {
    const root = await signedIn(server, "root");
    const cookie = [...root.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const send = async (action: string, fields: Record<string, string>) => {
      const headers = { cookie, origin: server.url, "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams(fields).toString();
      const init = { method: "POST", headers, body, redirect: "manual" } as const;
      return (await fetch(server.url + action, init)).status;
    };
    const twice = async (page: string, action: string, typed: Record<string, string>) => {
      const { fields } = (await root.get(page)).forms.find((form) => form.action === action)!;
      const form = { ...fields, ...typed };
      return [...(await Promise.all([send(action, form), send(action, form)])), await send(action, form)];
    };
    await server.admin.write("twice.md", "one\n");
    const edit = "/console/spaces/team/edit/twice.md";
    const typed = { content: "two\n", action: "save" };
    const form = await root.get(edit);
    expect(await twice(edit, edit, typed)).toEqual([303, 303, 303]);
    expect((await server.admin.get("/spaces/team/history/twice.md")).current).toBe(2);
    await root.get("/console");
    expect((await root.submit(form, edit, typed)).status).toBe(412);
    const hook = { url: "https://203.0.114.1/", everything: "yes" };
    expect(await twice("/console/webhooks/new", "/console/webhooks/new", hook)).toEqual([303, 303, 303]);
    expect(await server.admin.get("/webhooks")).toHaveLength(1);
    const wrong = { current: "wrong", password: "another password" };
    const account = "/console/account";
    expect(await twice(account, `${account}/password`, wrong)).toEqual([422, 422, 422]);
    const changes = await server.audit("action=user.password&actor=root");
    expect(changes.filter(({ result }) => result !== "ok").length).toBe(3);
  });

  test("is accepted below the console only: the API takes JSON as before", async () => {
    const body = new URLSearchParams({ name: "ada", password: PASSWORD }).toString();
    const headers = { origin: server.url, "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(`${server.url}/api/v1/auth/login`, { method: "POST", headers, body });
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, "invalid"]);
  });
});

describe("every page", () => {
  const server = shared(() => contextServer());
  const root = willSignIn(server, "root");

  test("has a strict policy with a fresh nonce, and no cache keeps it", async () => {
    const one = root;
    const policies = new Set<string>();
    for (const path of ["/console", "/console", "/console/nowhere"]) {
      const { headers, html } = await one.get(path);
      const policy = headers.get("content-security-policy")!;
      const nonce = /'nonce-([\w-]+)'/.exec(policy)![1]!;
      expect(html).toContain(`nonce="${nonce}"`);
      expect(policy.replace(nonce, "…")).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self' 'nonce-…'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      policies.add(policy);
      expect(
        ["cache-control", "x-content-type-options", "referrer-policy"].map((name) => headers.get(name)),
      ).toEqual(["no-store", "nosniff", "same-origin"]);
    }
    expect(policies.size).toBe(3);
  });

  test("that does not exist is 404, with another method 405, and neither tells anything to a stranger", async () => {
    const one = root;
    const missing = await one.get("/console/nowhere");
    expect([missing.status, missing.title]).toEqual([404, "Not found · Cairn"]);
    const csrf = (await one.get("/console")).forms[0]!.fields["csrf"]!;
    const wrong = await one.post("/console", { csrf });
    expect(wrong.status).toBe(400);
    const method = await one.post("/console/live", { csrf });
    expect([method.status, method.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await visitor(server.url).get("/console/nowhere")).path).toMatch(/^\/console\/login/);
  });

  test("counts against the limit of its person, and says how long to wait", async () => {
    await using limited = await contextServer({
      config: { rate_limit: { enabled: true, requests_per_minute: 20 } },
    });
    const one = await signedIn(limited, "root");
    let page = await one.get("/console");
    for (let count = 0; count < 20 && page.status === 200; count += 1) page = await one.get("/console");
    expect([page.status, page.title]).toEqual([429, "Too many requests · Cairn"]);
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
