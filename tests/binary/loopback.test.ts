// Goal: the compiled service answers over real sockets as the loopback rules say: each single fault in each world, and many combinations.

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createServer } from "node:net";
import {
  bodies,
  expectedAnswer,
  fetchSites,
  forwardings,
  headerLines,
  hosts,
  kinds,
  messages,
  methods,
  origins,
  singleFaults,
  worlds,
  type Answer,
  type Case,
  type World,
} from "../kit/http/loopback-cases.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { shared } from "../kit/group-resource.ts";
import { rawRequest, type RawAnswer } from "../kit/http/raw-http.ts";
import { runService, type RunningService } from "../kit/service/running.ts";

/** The guard itself is judged on every combination in tests/unit/kit/guard.test.ts; these show that the sockets bring them to it. */
const COMBINATIONS_PER_WORLD = 125;
const AT_ONCE = 16;
const SECURITY_HEADERS = {
  "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

async function start(world: World): Promise<RunningService> {
  const folder = await temporaryFolder();
  const config = await folder.write(
    "config.yaml",
    JSON.stringify({ loopback_admin: world.loopbackAdmin, allowed_hosts: world.allowedHosts }),
  );
  const listen = world.listen.includes(":") ? `[${world.listen}]:0` : `${world.listen}:0`;
  const running = await runService({ data: `${folder.path}/data`, listen, args: ["--config", config] });
  const service = {
    ...running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  const admin = { Authorization: `Bearer ${service.token}` };
  const url = `http://${reachable(world).includes(":") ? "[::1]" : reachable(world)}:${service.port}/api/v1`;
  const post = async (path: string, body: object) => {
    const headers = { ...admin, "Content-Type": "application/json", Host: hostHeader(world, service.port) };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.status).toBe(201);
  };
  await post("/providers", { name: "p", type: "openai-compatible", base_url: "http://model.example/v1" });
  await post("/models", { provider_id: 1, model_name: "m" });
  await post("/workspaces", { name: "w", orchestrator_model_id: 1 });
  return service;
}

/** The address to connect to. */
function reachable(world: World): string {
  return world.listen === "0.0.0.0" || world.listen === "localhost" ? "127.0.0.1" : world.listen;
}

function hostHeader(world: World, port: number): string {
  return world.allowedHosts[0] ?? `127.0.0.1:${port}`;
}

/** Routes that change nothing: with the rights of an admin they name what is missing, without they ask for a token. */
function requestText(request: Case, port: number): string {
  const { method, kind } = request;
  const sent = bodies[request.body].sent;
  const json =
    method === "PUT"
      ? '{"text":"x"}'
      : method === "PATCH"
        ? '{"name":"x"}'
        : '{"name":"x","orchestrator_model_id":99}';
  const api: Record<string, string> = {
    POST: sent ? "/api/v1/workspaces" : "/api/v1/turns/99/cancel",
    PUT: "/api/v1/instructions/99",
    PATCH: "/api/v1/users/99",
    DELETE: "/api/v1/users/99",
  };
  const path = {
    api: api[method] ?? "/api/v1/whoami",
    stream: "/api/v1/workspaces/1/events",
    page: "/workspaces/1",
    asset: "/assets/app.js",
  }[kind];
  const lines = headerLines(request, port).map(
    ([name, value]) => `${name}: ${value === "length" ? json.length : value}`,
  );
  return [`${method} ${path} HTTP/1.1`, ...lines, "", sent ? json : ""].join("\r\n");
}

/** The final outcome of a request that was let in. Undefined: several things, none of them the guard's. */
function servedStatus(request: Case, privilege: boolean): number | undefined {
  const { method, kind, body } = request;
  if (kind === "page" || kind === "asset")
    return method === "GET" && kind === "page" ? 200 : method === "GET" ? 404 : undefined;
  if (kind === "stream" && method !== "GET") return undefined;
  if (method === "GET" && !bodies[body].sent) return privilege ? 200 : 401;
  if (method === "DELETE" && !bodies[body].sent) return privilege ? 404 : 401;
  if (method === "POST" && kind === "api") return privilege ? 404 : 401;
  if ((method === "PUT" || method === "PATCH") && body === "JSON") return privilege ? 404 : 401;
  return undefined;
}

function problem(request: Case, answer: RawAnswer, expected: Answer): string | undefined {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (answer.headers[name] !== value && !byParser(request))
      return `header ${name}: ${answer.headers[name]}`;
  }
  if (byParser(request)) return answer.status === 400 ? undefined : `${answer.status} without a Host`;
  const text = request.method === "HEAD" ? "" : answer.body;
  if (expected.status !== "admitted") {
    if (answer.status !== expected.status) return `${answer.status} ${text}`;
    return text === "" || text.includes(JSON.stringify(expected.message).slice(0, -1)) ? undefined : text;
  }
  if (Object.values(messages).some((message) => text.includes(message))) return `refused: ${text}`;
  const served = servedStatus(request, expected.privilege);
  return served === undefined || answer.status === served
    ? undefined
    : `${answer.status} instead of ${served}: ${text}`;
}

/** RFC 9112, 3.2: a request without a Host is answered 400; Bun's parser does it, before any code of ours. */
function byParser(request: Case): boolean {
  return hosts[request.host] === undefined;
}

async function wrongAnswers(
  world: World,
  service: RunningService,
  cases: readonly Case[],
): Promise<object[]> {
  const wrong: object[] = [];
  const queue = cases.values();
  const work = async () => {
    for (const request of queue) {
      const target = {
        host: reachable(world),
        port: service.port,
        // From 127.0.0.1 it comes anyway; to bind every socket costs more than all else here.
        ...(world.listen === "::1" || request.peer === "127.0.0.1" ? {} : { from: request.peer }),
      };
      const seen: Case = world.listen === "::1" ? { ...request, peer: "::1" } : request;
      const expected = expectedAnswer(world, seen, service.port);
      const wrongness = await rawRequest(target, requestText(request, service.port)).then(
        (answer) => problem(seen, answer, expected),
        (error: Error) => error.message,
      );
      if (wrongness !== undefined) wrong.push({ request, wrongness });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return wrong;
}

/** Addresses that this machine can really connect from. */
const realPeers =
  process.platform === "linux" ? (["127.0.0.1", "127.0.0.2"] as const) : (["127.0.0.1"] as const);

const keys = <T extends object>(values: T) => Object.keys(values) as (keyof T)[];
const anyCase: fc.Arbitrary<Case> = fc.record({
  peer: fc.constantFrom(...realPeers),
  host: fc.constantFrom("own", "localhost", "[::1]", "allowed name", ...keys(hosts)),
  origin: fc.constantFrom("absent", "own", "absent", ...keys(origins)),
  site: fc.constantFrom("absent", "same-origin", "none, address bar", ...keys(fetchSites)),
  forwarding: fc.constantFrom("none", "none", "none", ...keys(forwardings)),
  body: fc.constantFrom(...keys(bodies)),
  method: fc.constantFrom(...methods),
  kind: fc.constantFrom(...kinds),
});

function canListen(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(0, host, () => server.close(() => resolve(true)));
  });
}

for (const world of worlds) {
  const possible = await canListen(world.listen);
  if (!possible) console.log(`skipped: this machine has no address ${world.listen}`);
  describe.if(possible)(`listening on ${world.name}`, () => {
    const service = shared(() => start(world));

    test("answers each single deviation as documented", async () => {
      const cases = singleFaults().filter((request) =>
        (realPeers as readonly string[]).includes(request.peer),
      );
      expect((await wrongAnswers(world, service, cases)).slice(0, 5)).toEqual([]);
    });

    test("answers combinations of deviations as documented", async () => {
      const cases = fc.sample(anyCase, { numRuns: COMBINATIONS_PER_WORLD, seed: 20_261_121 });
      expect((await wrongAnswers(world, service, cases)).slice(0, 5)).toEqual([]);
    });

    test("no refused request has changed anything", async () => {
      const { token, port } = service;
      const head = `Host: ${hostHeader(world, port)}\r\nAuthorization: Bearer ${token}`;
      const text = `GET /api/v1/audit HTTP/1.1\r\n${head}\r\n\r\n`;
      const answer = await rawRequest({ host: reachable(world), port }, text);
      const actions = (JSON.parse(answer.body) as { action: string }[]).map((entry) => entry.action);
      // Those of the set-up.
      expect(actions.filter((action) => /^(user|token|team)\./.test(action))).toEqual(["user.create"]);
    });
  });
}
