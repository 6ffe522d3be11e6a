// Goal: admission, rate limits and client addresses are right; every response carries a request id, and the log has a line without secrets for it.

import { describe, expect, test } from "bun:test";
import { ClientAddresses, countedTogether } from "../../src/kit/http/client-address.ts";
import { configure, contextServer, filePath } from "../kit/context/context-server.ts";
import { manualClock, MINUTE_MS } from "../kit/manual-clock.ts";
import { rawRequest } from "../kit/http/raw-http.ts";
import { refusal } from "../kit/http/refusal.ts";

const LIMITED = { rate_limit: { enabled: true, requests_per_minute: 3, auth_per_minute: 2 } };

const limitHeaders = (response: Response) =>
  ["limit", "remaining", "reset"].map((name) => response.headers.get(`x-ratelimit-${name}`));

describe("rate limits", () => {
  test("each token has its own limit: 429 says when to retry, and a minute later it works again", async () => {
    const clock = manualClock();
    await using server = await contextServer({ clock, config: LIMITED });
    const ann = await server.user("Ann", "viewer");
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await ann.raw("GET", "/auth/whoami"));
    expect(answers.map((answer) => [answer.status, ...limitHeaders(answer)])).toEqual([
      [200, "3", "2", "60"],
      [200, "3", "1", "60"],
      [200, "3", "0", "60"],
      [429, "3", "0", "60"],
    ]);
    expect(answers[3]!.headers.get("retry-after")).toBe("60");
    await refusal(answers[3]!, "rate_limited", "too many requests; try again in 60 s", {
      retry_after_seconds: 60,
      limit: 3,
    });
    // It affects neither another token nor a stranger from the same address.
    expect((await server.admin.raw("GET", "/auth/whoami")).status).toBe(200);
    expect((await server.anonymous().raw("GET", "/auth/whoami")).status).toBe(401);
    clock.advance(MINUTE_MS);
    expect((await ann.raw("GET", "/auth/whoami")).status).toBe(200);
  });

  test("guesses count against the address that made them, never against a token", async () => {
    const clock = manualClock();
    await using server = await contextServer({ clock, config: LIMITED });
    const statuses = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await server.as(`cairn_guess${i}`).raw("GET", "/spaces")).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await server.admin.raw("GET", "/spaces")).status).toBe(200);
    const refused = await server.audit("action=request.refused");
    // Only the first 429 of a minute is audited.
    expect(
      refused.map(({ result, error, target, actor }) => [result, error!.split(":")[0], target, actor]),
    ).toEqual(
      ["rate_limited", "unauthenticated", "unauthenticated", "unauthenticated"].map((code) => [
        "denied",
        code,
        "GET /api/v1/spaces",
        { name: "", role: null, auth: "none", address: "127.0.0.1" },
      ]),
    );
  });

  test("logins have their own limit per address", async () => {
    await using server = await contextServer({ clock: manualClock(), config: LIMITED });
    const login = () =>
      server.anonymous().raw("POST", "/auth/login", { body: { name: "root", password: "not this one" } });
    const answers = [await login(), await login(), await login()];
    expect(answers.map((answer) => [answer.status, ...limitHeaders(answer)])).toEqual([
      [401, "2", "1", "60"],
      [401, "2", "0", "60"],
      [429, "2", "0", "60"],
    ]);
    expect(answers[2]!.headers.get("retry-after")).toBe("60");
  });

  test("when disabled, counts nothing", async () => {
    await using server = await contextServer({
      config: { rate_limit: { enabled: false, requests_per_minute: 1, auth_per_minute: 1 } },
    });
    for (let i = 0; i < 3; i++) {
      const answer = await server.admin.raw("GET", "/auth/whoami");
      expect([answer.status, ...limitHeaders(answer)]).toEqual([200, null, null, null]);
    }
  });
});

describe("addresses", () => {
  test("ignores X-Forwarded-For from an unlisted peer", async () => {
    await using server = await contextServer();
    await server.anonymous().raw("GET", "/spaces", { headers: { "X-Forwarded-For": "203.0.113.9" } });
    expect((await server.audit("action=request.refused"))[0]!.actor.address).toBe("127.0.0.1");
  });

  test("trusts it from a listed peer, from the right, in audit and limits", async () => {
    await using server = await contextServer({
      config: {
        listen: { trusted_proxies: ["127.0.0.1", "10.0.0.0/8"] },
        rate_limit: { enabled: true, requests_per_minute: 2 },
      },
    });
    const from = async (forwarded: string) =>
      (await server.anonymous().raw("GET", "/spaces", { headers: { "X-Forwarded-For": forwarded } })).status;
    expect(await from("198.51.100.1, 203.0.113.9, 10.1.2.3")).toBe(401);
    expect(await from("203.0.113.9")).toBe(401);
    // Entries that the client added on the left have no effect.
    expect(await from("192.0.2.77, 203.0.113.9")).toBe(429);
    expect(await from("203.0.113.10")).toBe(401);
    const addresses = (await server.audit("action=request.refused")).map(({ actor }) => actor.address);
    expect(addresses).toEqual(["203.0.113.10", "203.0.113.9", "203.0.113.9", "203.0.113.9"]);
  });
});

describe("from a peer and a header to an address", () => {
  const of = (trusted: string[], peer: string | undefined, forwarded?: string) =>
    new ClientAddresses("listen.trusted_proxies", trusted).of({
      peer: () => peer,
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    });

  test("reads from the right, as far as each hop is trusted", () => {
    const proxies = ["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7"];
    const cases: [peer: string, forwarded: string | undefined, address: string][] = [
      ["203.0.113.1", "198.51.100.1", "203.0.113.1"],
      ["10.0.0.1", undefined, "10.0.0.1"],
      ["10.0.0.1", "", "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
      ["::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
      ["10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
      ["10.0.0.1", "1.1.1.1,198.51.100.1 , 10.9.9.9,192.0.2.7", "198.51.100.1"],
      ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
      ["10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1, 10.0.0.2, _hidden", "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1:5555", "198.51.100.1"],
      ["10.0.0.1", "[2001:db8:9::1]:443", "2001:db8:9::1"],
      ["2001:db8:1::5", "2001:DB8:9:0::1", "2001:db8:9::1"],
      ["10.0.0.1", "0x7f.1", "10.0.0.1"],
      ["10.0.0.1", `${"10.0.0.2,".repeat(500)}10.0.0.2`, "10.0.0.2"],
    ];
    for (const [peer, forwarded, address] of cases)
      expect([peer, forwarded, of(proxies, peer, forwarded)]).toEqual([peer, forwarded, address]);
    expect(of(proxies, undefined, "198.51.100.1")).toBe("");
  });

  test("counts an IPv6 network as one client and each IPv4 address separately", () => {
    expect(countedTogether("2001:db8:1:2:3:4:5:6")).toBe(countedTogether("2001:db8:1:2::9"));
    expect(countedTogether("2001:db8:1:2::1")).not.toBe(countedTogether("2001:db8:1:3::1"));
    expect(countedTogether("192.0.2.1")).not.toBe(countedTogether("192.0.2.2"));
    expect(countedTogether("")).toBe("");
  });

  test("startup refuses a proxy that is neither an address nor a CIDR block, and names it", async () => {
    await using server = await contextServer();
    for (const wrong of ["proxy.example.org", "10.0.0.0/40", "", "*"]) {
      const start = server.restart((directory) =>
        configure(directory, { listen: { address: "127.0.0.1", port: 0, trusted_proxies: [wrong] } }),
      );
      await expect(start).rejects.toThrow(
        `listen.trusted_proxies: "${wrong}" is neither an address nor a block such as 10.0.0.0/8`,
      );
    }
  });
});

describe("request ids and the access log", () => {
  test("every response has an id: the caller's, or a new one if the caller's is unsafe", async () => {
    await using server = await contextServer({
      config: { rate_limit: { enabled: true, requests_per_minute: 4 } },
    });
    await server.admin.write("a.md", "text");
    const given = { headers: { "X-Request-Id": "given-1" } };
    const anonymous = server.anonymous();
    const answers = [
      await server.admin.raw("GET", "/auth/whoami", given),
      await server.admin.raw("GET", filePath("a.md"), given),
      await server.admin.raw("GET", filePath("no.md"), given),
      await server.admin.raw("GET", "/spaces", given),
      await anonymous.raw("GET", "/spaces", given),
      await anonymous.raw("GET", "/health", given),
      await anonymous.raw("GET", "/nothing", given),
      await anonymous.raw("POST", "/spaces/team/push", { ...given, body: "{" }),
      await anonymous.raw("GET", "/spaces", {
        headers: { ...given.headers, Origin: "https://evil.example" },
      }),
    ];
    expect(answers.map((answer) => [answer.status, answer.headers.get("x-request-id")])).toEqual(
      [200, 200, 404, 429, 401, 200, 404, 401, 403].map((status) => [status, "given-1"]),
    );
    const unfit = await anonymous.raw("GET", "/health", { headers: { "X-Request-Id": "a b" } });
    expect(unfit.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._:-]{1,64}$/);
  });

  test("logs each response with id, method, route, status and time, without path or token", async () => {
    await using server = await contextServer();
    const path = "plans/takeover-of-acme.md";
    await server.admin.write(path, "text", { "X-Request-Id": "put-1" });
    await server
      .anonymous()
      .raw("GET", "/spaces?token=cairn_canary", { headers: { "X-Request-Id": "get-1" } });
    await rawRequest(
      server.url,
      "GET /api/v1/spaces HTTP/1.1\r\nHost: elsewhere.example\r\nX-Request-Id: host-1\r\n\r\n",
    );
    const lines = server.log.filter(({ message }) => message === "answered");
    const shown: object[] = lines.map(({ time, ms, ...rest }) => ({
      ...rest,
      ms: typeof ms,
      time: typeof time,
    }));
    const base = { level: "info", message: "answered", ms: "number", time: "string" };
    expect(shown).toEqual([
      { ...base, request_id: "put-1", method: "PUT", route: "/api/v1/spaces/:space/files/*", status: 201 },
      { ...base, request_id: "get-1", method: "GET", route: "/api/v1/spaces", status: 401 },
      { ...base, request_id: "host-1", method: "GET", route: "none", status: 421 },
    ]);
    const whole = JSON.stringify(server.log);
    for (const secret of [server.bootstrap, "cairn_canary", "takeover"]) expect(whole).not.toContain(secret);
  });
});
