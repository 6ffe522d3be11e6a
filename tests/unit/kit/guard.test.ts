// Goal: the guard decides every request as the rules say, over the whole product of the cases that tests/kit/http/loopback-cases.ts lists.

import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/kit/error.ts";
import type { PeerOwner } from "../../../src/kit/network/peer-owner.ts";
import {
  admit,
  isApi,
  isLoopbackAddress,
  loopbackHosts,
  type ListenFacts,
  type RequestFacts,
} from "../../../src/kit/http/guard.ts";
import {
  expectedAnswer,
  fetchSites,
  headerLines,
  hosts,
  oneChange,
  otherProxies,
  origins,
  peers,
  plain,
  singleFaults,
  worlds,
  type Answer,
  type Case,
  type World,
} from "../../kit/http/loopback-cases.ts";

const PORT = 8688;
const PERSON = 1_000;
const paths = {
  api: "/api/v1/whoami",
  stream: "/api/v1/workspaces/1/events",
  page: "/workspaces/1",
  asset: "/assets/app.js",
};

function listenFacts(world: World, port: number): ListenFacts {
  return {
    port,
    loopbackHosts: loopbackHosts(port),
    address: world.listen === "localhost" ? "127.0.0.1" : world.listen,
    loopback: isLoopbackAddress(world.listen),
    loopbackAdmin: world.loopbackAdmin,
    user: PERSON,
    allowedHosts: new Set(world.allowedHosts),
  };
}

/** As a server hands it over: a header sent twice has its values joined by a comma. */
function requestFacts(request: Case, port: number): RequestFacts {
  const headers: Record<string, string> = {};
  for (const [name, value] of headerLines(request, port)) {
    const text = value === "length" ? "2" : value;
    headers[name] = headers[name] === undefined ? text : `${headers[name]}, ${text}`;
  }
  return {
    method: request.method,
    path: paths[request.kind],
    headers,
    peer: () => peers[request.peer],
    peerOwner: () => PERSON,
  };
}

function actualAnswer(facts: ListenFacts, request: RequestFacts): Answer {
  try {
    return { status: "admitted", privilege: admit(facts, request).loopbackPrivilege() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: error.status as 403, message: error.message };
  }
}

/** The text about a foreign host names the host; the rules only fix how it begins. */
function same(actual: Answer, expected: Answer): boolean {
  if (actual.status === "admitted")
    return expected.status === "admitted" && actual.privilege === expected.privilege;
  if (expected.status === "admitted") return false;
  return actual.status === expected.status && actual.message.startsWith(expected.message);
}

function differences(world: World, cases: Iterable<Case>, port = PORT): object[] {
  const facts = listenFacts(world, port);
  const wrong: object[] = [];
  for (const request of cases) {
    const actual = actualAnswer(facts, requestFacts(request, port));
    const expected = expectedAnswer(world, request, port);
    if (!same(actual, expected)) wrong.push({ world: world.name, request, actual, expected });
  }
  return wrong;
}

/** A few telling values of each dimension, every combination of them. */
function* product(): Generator<Case> {
  const few = {
    peer: ["127.0.0.1", "::ffff:127.0.0.1", "127.0.0.2", "another machine"],
    host: ["own", "[::1]", "missing", "sent twice", "wrong port", "a foreign name", "allowed name"],
    origin: ["absent", "own", "own, TLS", "null", "another port"],
    site: [
      "absent",
      "same-origin",
      "none, address bar",
      "cross-site, fetch",
      "cross-site, link",
      "cross-site, frame",
    ],
    forwarding: ["none", "X-Forwarded-For"],
    body: ["none", "JSON", "form"],
    method: ["GET", "POST", "PUT"],
    kind: ["api", "page"],
  } satisfies { [K in keyof Case]: Case[K][] };
  for (const peer of few.peer)
    for (const host of few.host)
      for (const origin of few.origin)
        for (const site of few.site)
          for (const forwarding of few.forwarding)
            for (const body of few.body)
              for (const method of few.method)
                for (const kind of few.kind)
                  yield { peer, host, origin, site, forwarding, body, method, kind };
}

describe("guard", () => {
  for (const world of worlds) {
    test(`${world.name}: every combination`, () => {
      expect(differences(world, product()).slice(0, 5)).toEqual([]);
    });

    test(`${world.name}: every value, alone and beside every other`, () => {
      // One unknown header is as good as another.
      const telling = ({ forwarding }: Case) => !(forwarding in otherProxies);
      const besides = singleFaults().filter(telling).flatMap(oneChange).filter(telling);
      expect(differences(world, [...singleFaults(), ...besides]).slice(0, 5)).toEqual([]);
    });
  }

  test("on port 80 a Host without a port is ours, and nothing else changes", () => {
    expect(differences(worlds[0]!, oneChange(plain), 80)).toEqual([]);
    expect(expectedAnswer(worlds[0]!, { ...plain, host: "no port" }, 80)).toEqual({
      status: "admitted",
      privilege: true,
    });
  });

  test("with TLS, a Host without a port is ours on port 443 instead of 80, and our origin is https", () => {
    expect(loopbackHosts(443, "https").has("localhost")).toBe(true);
    expect(loopbackHosts(80, "https").has("localhost")).toBe(false);
    const hostsOf443 = loopbackHosts(443, "https");
    const listen: ListenFacts = {
      ...listenFacts(worlds[0]!, 443),
      scheme: "https",
      loopbackHosts: hostsOf443,
    };
    const from = (origin: string) => () =>
      admit(listen, { ...requestFacts(plain, 443), headers: { host: "localhost", origin } });
    expect(from("https://localhost")).not.toThrow();
    expect(from("http://localhost")).toThrow("requests from another origin are refused");
  });

  test("the judge tells cases apart: each dimension has values that are refused and values that are not", () => {
    const answer = (change: Partial<Case>) =>
      expectedAnswer(worlds[0]!, { ...plain, ...change }, PORT).status;
    const counts = (values: object, key: keyof Case) =>
      Object.keys(values).filter((value) => answer({ [key]: value }) === "admitted").length;
    expect({
      hosts: [counts(hosts, "host"), Object.keys(hosts).length],
      origins: [counts(origins, "origin"), Object.keys(origins).length],
      sites: [counts(fetchSites, "site"), Object.keys(fetchSites).length],
    }).toEqual({ hosts: [4, 30], origins: [2, 11], sites: [2, 15] });
  });

  test("the privilege asks for the peer only when everything else allows it", () => {
    const asked = (change: Partial<Case>) => {
      let count = 0;
      const facts = { ...requestFacts({ ...plain, ...change }, PORT), peer: () => (count++, "127.0.0.1") };
      admit(listenFacts(worlds[0]!, PORT), facts).loopbackPrivilege();
      return count;
    };
    expect([asked({}), asked({ forwarding: "Via" })]).toEqual([1, 0]);
  });

  test.each([
    ["the account of the server", PERSON, true],
    ["root", 0, true],
    ["another person", 1_001, true],
    ["a person of a directory service", 70_001, true],
    ["a system that does not tell", undefined, true],
    ["a web server", 33, false],
    ["the last account of the system", 999, false],
    ["a dynamic account of systemd", 61_184, false],
    ["nobody", 65_534, false],
    ["a program that has left", "gone", false],
  ] as const)("%s at the other end", (_, owner, privilege) => {
    const admission = admit(listenFacts(worlds[0]!, PORT), {
      ...requestFacts(plain, PORT),
      peerOwner: () => owner,
    });
    expect([admission.loopbackPrivilege(), admission.privilegeLostBy()]).toEqual([
      privilege,
      privilege ? undefined : { account: "daemon" },
    ]);
    // A monitor under its own account may read what needs no rights.
    expect(admission.isDirectLocal()).toBe(true);
  });

  test("a server that runs under an account of the system has that account's requests for its own", () => {
    const listen = { ...listenFacts(worlds[0]!, PORT), user: 998 };
    const facts = (owner: number) => ({ ...requestFacts(plain, PORT), peerOwner: () => owner });
    expect(admit(listen, facts(998)).loopbackPrivilege()).toBe(true);
    expect(admit(listen, facts(997)).loopbackPrivilege()).toBe(false);
  });

  test("a connection that ends is a sign of a proxy unless the system says that a client's account opened it", () => {
    const listen = { ...listenFacts(worlds[0]!, PORT), user: 998 };
    const lostBy = (owner: PeerOwner) => {
      const facts = requestFacts(plain, PORT);
      const headers = { ...facts.headers, connection: "close" };
      const admission = admit(listen, { ...facts, headers, peerOwner: () => owner });
      expect(admission.isDirectLocal()).toBe(admission.loopbackPrivilege());
      return admission.privilegeLostBy();
    };
    expect([PERSON, 0, 998].map(lostBy)).toEqual([undefined, undefined, undefined]);
    const sign = { header: "Connection: close" };
    expect([33, "gone" as const, undefined].map(lostBy)).toEqual([sign, sign, sign]);
  });

  test("the system is not asked whose program is on another machine", () => {
    const facts = {
      ...requestFacts(plain, PORT),
      peer: () => "192.0.2.7",
      peerOwner: () => {
        throw new Error("asked");
      },
    };
    const headers = { ...facts.headers, connection: "close" };
    const anywhere = { ...listenFacts(worlds[0]!, PORT), address: "0.0.0.0", loopback: false };
    expect(admit(anywhere, { ...facts, headers }).isDirectLocal()).toBe(false);
  });

  test("names the header that cost a local client the privilege, and says nothing behind a proxy that names itself", () => {
    const lostBy = (world: World, peer: string, headers: Record<string, string>, host = "127.0.0.1:8688") => {
      const facts = {
        method: "GET",
        path: "/api",
        headers: { host, ...headers },
        peer: () => peer,
        peerOwner: () => PERSON,
      };
      return admit(listenFacts(world, PORT), facts).privilegeLostBy();
    };
    const local = worlds[0]!;
    expect(lostBy(local, "127.0.0.1", {})).toBeUndefined();
    expect(lostBy(local, "127.0.0.1", { connection: "TE, x-mine" })).toEqual({
      header: "Connection: x-mine",
    });
    expect(lostBy(local, "::1", { "x-mine": "1" })).toEqual({ header: "x-mine" });
    expect(lostBy(local, "127.0.0.2", { "x-mine": "1" })).toBeUndefined();
    for (const name of [
      "via",
      "x-forwarded-for",
      "x-real-ip",
      "true-client-ip",
      "cf-connecting-ip",
      "tailscale-user-login",
    ])
      expect([name, lostBy(local, "127.0.0.1", { [name]: "x", connection: "upgrade" })]).toEqual([
        name,
        undefined,
      ]);
    expect(
      lostBy({ ...local, loopbackAdmin: false }, "127.0.0.1", { connection: "upgrade" }),
    ).toBeUndefined();
    const named = { ...local, allowedHosts: ["cairn.example"] };
    expect(lostBy(named, "127.0.0.1", { connection: "upgrade" }, "cairn.example")).toBeUndefined();
  });

  test("an upgrade keeps the privilege only where there is a WebSocket, or beside the settings of HTTP/2", () => {
    const socket = "/api/v1/terminal";
    const key = { "sec-websocket-key": "x" };
    const asks = { connection: "keep-alive, Upgrade", upgrade: "WebSocket", ...key };
    const cases: [method: string, path: string, headers: Record<string, string>, answer: boolean][] = [
      ["GET", socket, asks, true],
      ["PUT", socket, asks, false],
      ["GET", "/api/v1/whoami", asks, false],
      ["GET", socket, { connection: "Upgrade", upgrade: "websocket" }, false],
      ["GET", socket, { connection: "Upgrade", ...key }, false],
      ["GET", socket, { connection: "Upgrade", upgrade: "h2c", ...key }, false],
      ["GET", "/", { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c" }, true],
      ["GET", "/", { ...asks, connection: "Upgrade, HTTP2-Settings" }, false],
    ];
    const listen = listenFacts(worlds[0]!, PORT);
    const keeps = (facts: ListenFacts) =>
      cases.map(([method, path, own]) => {
        const headers = { host: `127.0.0.1:${PORT}`, ...own };
        const ends = { peer: () => "127.0.0.1", peerOwner: () => PERSON };
        return admit(facts, { method, path, headers, ...ends }).loopbackPrivilege();
      });
    expect(keeps({ ...listen, socketPaths: /^\/api\/v1\/terminal$/ })).toEqual(
      cases.map(([, , , answer]) => answer),
    );
    expect(keeps(listen).filter(Boolean)).toHaveLength(1);
  });

  test("direct and local: a loopback peer by a loopback name, or the bound address by itself; no proxy in between", () => {
    const direct = (world: World, peer: string, host: string, headers: Record<string, string> = {}) => {
      const facts = {
        method: "GET",
        path: "/metrics",
        headers: { host, ...headers },
        peer: () => peer,
        peerOwner: () => PERSON,
      };
      return admit(listenFacts(world, PORT), facts).isDirectLocal();
    };
    const wide: World = { name: "", listen: "0.0.0.0", loopbackAdmin: false, allowedHosts: [] };
    const proxied = { ...worlds[0]!, allowedHosts: ["cairn.example"] };
    const bound = { ...wide, listen: "192.0.2.7" as World["listen"] };
    const cases: [World, peer: string, host: string, headers: Record<string, string>, answer: boolean][] = [
      [worlds[0]!, "127.0.0.1", "127.0.0.1:8688", {}, true],
      [worlds[0]!, "127.0.0.1", "localhost:8688", {}, true],
      [worlds[0]!, "127.0.0.1", "127.0.0.1:8688", { "x-forwarded-for": "" }, false],
      [worlds[0]!, "127.0.0.1", "127.0.0.1:8688", { via: "1.1 proxy" }, false],
      [worlds[0]!, "127.0.0.2", "127.0.0.1:8688", {}, false],
      [proxied, "127.0.0.1", "cairn.example", {}, false],
      [proxied, "127.0.0.1", "127.0.0.1:8688", {}, true],
      [wide, "127.0.0.1", "localhost:8688", {}, true],
      [wide, "::ffff:127.0.0.1", "localhost:8688", {}, true],
      [wide, "127.0.0.1", "cairn.example", {}, false],
      [wide, "192.0.2.9", "localhost:8688", {}, false],
      [wide, "192.0.2.7", "192.0.2.7:8688", {}, false],
      [bound, "192.0.2.7", "192.0.2.7:8688", {}, true],
      [bound, "192.0.2.7", "192.0.2.7:8688", { "x-forwarded-for": "1.2.3.4" }, false],
      [bound, "192.0.2.9", "192.0.2.7:8688", {}, false],
      [bound, "192.0.2.7", "localhost:8688", {}, false],
    ];
    for (const [world, peer, host, headers, answer] of cases)
      expect([peer, host, headers, direct(world, peer, host, headers)]).toEqual([
        peer,
        host,
        headers,
        answer,
      ]);
  });

  test("only below a folder of forms is a POST one, with the origin of a page and its own type", () => {
    const form = "application/x-www-form-urlencoded";
    const facts = { ...listenFacts(worlds[0]!, PORT), formFolders: ["/setup/", "/ui/"] };
    const host = `127.0.0.1:${PORT}`;
    const answer = (method: string, path: string, type?: string, origin?: string) =>
      actualAnswer(facts, {
        method,
        path,
        headers: {
          host,
          "content-length": "2",
          ...(type === undefined ? {} : { "content-type": type }),
          ...(origin === undefined ? {} : { origin }),
        },
        peer: () => "127.0.0.1",
        peerOwner: () => PERSON,
      });
    const own = `http://${host}`;
    const admitted = { status: "admitted", privilege: true } as const;
    const noOrigin = { status: 403, message: "a form needs the Origin header of a page of this server" };
    const noForm = { status: 400, message: `a form has the content type ${form}` };
    expect([
      answer("POST", "/ui/people", form, own),
      answer("POST", "/setup/code", form, own),
      answer("POST", "/ui/people", form),
      answer("POST", "/ui/people", "application/json"),
      answer("POST", "/ui/people", "application/json", own),
      answer("POST", "/ui/people", undefined, own),
      answer("GET", "/ui/people", "text/plain"),
      answer("POST", "/uis", "application/json", own),
    ]).toEqual([admitted, admitted, noOrigin, noOrigin, noForm, noForm, admitted, admitted] as Answer[]);
    expect(answer("POST", "/people", form, own).status).toBe(400);
  });

  test("API paths are told by their first segment", () => {
    const all = ["/api", "/api/", "/api/v1", "/apis", "/API/v1", "//api/v1", "/x/api", "/"];
    expect(all.filter(isApi)).toEqual(["/api", "/api/", "/api/v1"]);
  });

  test("three spellings of the listen address are loopback, no other", () => {
    const all = [
      "127.0.0.1",
      "::1",
      "localhost",
      "127.0.0.2",
      "0.0.0.0",
      "::",
      "::ffff:127.0.0.1",
      "LOCALHOST",
      "127.1",
      "",
    ];
    expect(all.filter(isLoopbackAddress)).toEqual(["127.0.0.1", "::1", "localhost"]);
  });
});
