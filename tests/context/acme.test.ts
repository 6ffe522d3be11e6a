// Goal: a server with ACME gets its certificate from an authority, proves its domains by HTTP or DNS, renews in time without dropping a connection,
// and says what is wrong when the authority does not issue it.

import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import type { AcmeOptions } from "../../src/context/server-acme.ts";
import { acmeStatus } from "../../src/context/certificates/status.ts";
import { examine } from "../../src/context/doctor/doctor.ts";
import { systemClock } from "../../src/kit/clock.ts";
import type { Network } from "../../src/kit/network/outbound.ts";
import { readServerConfig } from "../../src/context/config/config.ts";
import { acmeAuthority } from "../kit/acme/authority.ts";
import { scriptedCloudflare } from "../kit/acme/cloudflare.ts";
import { runContext } from "../kit/context/running-context.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";
import { configure, contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually, until } from "../kit/eventually.ts";
import { DAY_MS, manualClock, MINUTE_MS, type ManualClock } from "../kit/manual-clock.ts";

const DOMAIN = "context.example.org";
const TWO = [DOMAIN, "www.example.org"];

type Authority = Awaited<ReturnType<typeof acmeAuthority>>;

interface WithAcme {
  readonly tls?: Record<string, unknown>;
  readonly acme?: Partial<AcmeOptions>;
  /** Of the server, with its timers, and of the authority. */
  readonly clock?: ManualClock;
}

/** The block `tls` of server.yaml; `more` is laid over the keys of ACME. */
function tlsKeys({ directory }: Authority, more: Record<string, unknown> = {}) {
  const acme = {
    enabled: true,
    email: "ops@example.org",
    domains: [DOMAIN],
    http_addr: "127.0.0.1:0",
    directory,
  };
  return { tls: { enabled: true, acme: { ...acme, ...more } } };
}

async function serverWithAcme(authority: Authority, { tls = {}, acme = {}, clock }: WithAcme = {}) {
  return contextServer({
    ...(clock && { clock }),
    config: tlsKeys(authority, tls),
    acme: { environment: {}, network: authority.network, ...(clock && { timers: clock }), ...acme },
  });
}

/** Proves domains by HTTP at a server that starts after it. */
async function httpWorld(options: WithAcme & { days?: number; before?: (one: Authority) => void } = {}) {
  await using stack = new AsyncDisposableStack();
  const started = Promise.withResolvers<ContextServer>();
  const httpPort = async () => challengePort(await started.promise);
  const authority = stack.use(
    await acmeAuthority({
      httpPort,
      days: options.days ?? 90,
      ...(options.clock && { now: options.clock.now }),
    }),
  );
  options.before?.(authority);
  const server = stack.use(await serverWithAcme(authority, options));
  started.resolve(server);
  const kept = stack.move();
  return { authority, server, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function challengePort({ log }: ContextServer): number {
  return Number(log.findLast((line) => line.message === "answering HTTP-01 challenges")!["port"]);
}

interface Handshake {
  readonly names: string | undefined;
  readonly isTrusted: boolean;
  readonly fingerprint: string;
}

/** As a client that trusts the authority's root only. */
/** A handshake in the moment of the exchange is reset, and the client connects again. */
async function served(server: ContextServer, authority: Authority): Promise<unknown> {
  const { names, isTrusted } = await handshake(server, authority).catch(() => RESET);
  return { names, isTrusted };
}

const RESET: Handshake = { names: "reset", isTrusted: false, fingerprint: "reset" };

function handshake({ url }: ContextServer, { root }: Authority): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: "127.0.0.1",
      port: Number(new URL(url).port),
      servername: DOMAIN,
      ca: root,
      rejectUnauthorized: false,
    });
    socket.on("error", reject);
    socket.on("secureConnect", () => {
      const { subjectaltname: names, fingerprint256: fingerprint } = socket.getPeerCertificate();
      resolve({ names, isTrusted: socket.authorized, fingerprint });
      socket.end();
    });
  });
}

const issued = (names = `DNS:${DOMAIN}`) => ({ names, isTrusted: true });

function ask({ url }: ContextServer, path: string, headers: Record<string, string> = {}) {
  return fetch(url + path, { headers, tls: { rejectUnauthorized: false } });
}

async function healthOf(server: ContextServer): Promise<unknown> {
  const answer = await ask(server, "/health");
  const { status, problems } = (await answer.json()) as Record<string, unknown>;
  return [answer.status, status, problems];
}

/** Of doctor, on the certificate. */
async function verdict({ directory }: ContextServer): Promise<unknown> {
  const { checks } = await examine(directory, directory, systemClock);
  return checks.filter(({ check }) => check === "certificate").map(({ state, found }) => [state, found]);
}

const status = ({ directory }: ContextServer, now = Date.now()) =>
  acmeStatus(readServerConfig(directory).tls!.acme!, now);

const said = ({ log }: ContextServer, message: string) => log.filter((line) => line.message === message);

describe("the first certificate", () => {
  test("serves a placeholder until the authority issues one by HTTP-01, then that", async () => {
    let held: Promise<() => void> | undefined;
    await using world = await httpWorld({ before: (one) => (held = one.hold("finalize")) });
    const { authority, server } = world;
    const go = await held!;
    expect(await served(server, authority)).toEqual({ names: `DNS:${DOMAIN}`, isTrusted: false });
    expect(await healthOf(server)).toEqual([503, "degraded", [{ what: "certificate", reason: "failed" }]]);
    expect(status(server)).toMatchObject({ state: "pending", expires_at: null, last_error: null });
    expect(await verdict(server)).toEqual([
      ["warn", "the authority has not issued a certificate yet; clients refuse the server until it does"],
    ]);
    go();
    await eventually(() => served(server, authority), issued());
    expect(await healthOf(server)).toEqual([200, "ok", []]);
    await eventually(() => status(server).state, "valid");
    const { expires_at, next_renewal_at } = status(server);
    expect(await verdict(server)).toEqual([
      ["ok", `valid until ${expires_at!.slice(0, 10)}, for ${DOMAIN}; renewed by the server`],
    ]);
    const days = (time: string | null) => Math.round((Date.parse(time!) - Date.now()) / DAY_MS);
    expect([days(expires_at), days(next_renewal_at)]).toEqual([90, 60]);
    expect(await (await ask(server, "/metrics")).text()).toContain(
      `service_tls_certificate_expiry_seconds ${Date.parse(expires_at!) / 1_000}`,
    );
  });

  test("keeps its key and account private, and the next start asks the authority for nothing", async () => {
    await using world = await httpWorld();
    const { authority, server } = world;
    await eventually(() => status(server).state, "valid");
    const folder = join(server.directory, "tls", "acme");
    const names = readdirSync(folder, { recursive: true }).map(String);
    expect(names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
    const before = authority.requests.length;
    await server.restart();
    expect(await served(server, authority)).toEqual(issued());
    expect(await healthOf(server)).toEqual([200, "ok", []]);
    expect(authority.requests.slice(before)).toEqual([]);
  });

  test("orders again when a domain is added, with the same account", async () => {
    await using world = await httpWorld();
    const { authority, server } = world;
    await eventually(() => status(server).state, "valid");
    await server.restart((directory) => configure(directory, tlsKeys(authority, { domains: TWO })));
    await eventually(() => served(server, authority), issued(`DNS:${DOMAIN}, DNS:www.example.org`));
    expect(authority.accounts).toHaveLength(1);
  });

  test("an order for a new domain that fails leaves the former certificate, and is forgotten without the domain", async () => {
    await using world = await httpWorld();
    const { authority, server } = world;
    await eventually(() => status(server).state, "valid");
    authority.refuse("order", { status: 400, type: "rejectedIdentifier", detail: "not that one" });
    await server.restart((directory) => configure(directory, tlsKeys(authority, { domains: TWO })));
    await eventually(() => status(server).last_error, "the authority answered 400: not that one");
    expect(await served(server, authority)).toEqual(issued());
    expect(await healthOf(server)).toEqual([200, "degraded", [{ what: "certificate", reason: "broken" }]]);
    await server.restart((directory) => configure(directory, tlsKeys(authority)));
    await eventually(() => status(server).state, "valid");
    expect([status(server).last_error, authority.orders.length]).toEqual([null, 1]);
  });
});

describe("the listener for HTTP-01", () => {
  test("redirects readers of its domains to https, and serves nothing else", async () => {
    await using world = await httpWorld();
    const { server } = world;
    await eventually(() => status(server).state, "valid");
    const at = `http://127.0.0.1:${challengePort(server)}`;
    const sent = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(at + path, { redirect: "manual", ...init });
      return [answer.status, answer.headers.get("location")];
    };
    const headers = { Host: DOMAIN };
    const port = new URL(server.url).port;
    expect(await sent("/a/b?c=d", { headers })).toEqual([308, `https://${DOMAIN}:${port}/a/b?c=d`]);
    expect(await sent("/", { headers: { Host: `${DOMAIN}:80` } })).toEqual([
      308,
      `https://${DOMAIN}:${port}/`,
    ]);
    const link = {
      Host: DOMAIN,
      "Sec-Fetch-Site": "cross-site",
      "Sec-Fetch-Mode": "navigate",
      "Sec-Fetch-Dest": "document",
    };
    expect(await sent("/", { headers: link })).toEqual([308, `https://${DOMAIN}:${port}/`]);
    expect(await sent("/", { headers: { Host: "evil.example" } })).toEqual([421, null]);
    expect(await sent("/")).toEqual([421, null]);
    expect(await sent("/", { headers, method: "DELETE" })).toEqual([405, null]);
    expect(await sent("/.well-known/acme-challenge/token-0", { headers })).toEqual([404, null]);
    expect(await sent("/health", { headers })).toEqual([308, `https://${DOMAIN}:${port}/health`]);
  });
});

describe("a renewal", () => {
  test("takes effect at two thirds of the lifetime, under an open stream", async () => {
    const clock = manualClock();
    await using world = await httpWorld({ clock, days: 1 / 4 });
    const { authority, server } = world;
    await eventually(() => status(server, clock.now()).state, "valid");
    const first = (await handshake(server, authority)).fingerprint;
    const Authorization = `Bearer ${server.bootstrap}`;
    const stream = await ask(server, "/api/v1/events", { Authorization });
    const reader = stream.body!.getReader();
    await eventually(() => clock.waits().includes(180 * MINUTE_MS), true);
    clock.advance(179 * MINUTE_MS);
    expect(authority.orders).toHaveLength(1);
    clock.advance(MINUTE_MS);
    const renewed = async () =>
      ![first, RESET.fingerprint].includes(
        (await handshake(server, authority).catch(() => RESET)).fingerprint,
      );
    await eventually(renewed, true);
    expect(authority.orders).toHaveLength(2);
    const made = await fetch(`${server.url}/api/v1/spaces/team/files/a.md`, {
      method: "PUT",
      headers: { Authorization },
      body: "a",
      tls: { rejectUnauthorized: false },
    });
    expect(made.status).toBe(201);
    let text = "";
    await until(async () => {
      text += new TextDecoder().decode((await reader.read()).value);
      return text.includes("a.md");
    });
    await reader.cancel();
  });
});

describe("an authority that does not issue", () => {
  test("a bad nonce is retried", async () => {
    await using world = await httpWorld({
      before: (one) => one.refuse("order", { status: 400, type: "badNonce", detail: "old" }),
    });
    const { authority, server } = world;
    await eventually(() => status(server).state, "valid");
    expect(authority.requests.filter((place) => place === "order").length).toBeGreaterThan(1);
    expect(authority.orders).toHaveLength(1);
  });

  test("a refusal is shown and logged once, waits longer each time, and keeps the server running", async () => {
    const clock = manualClock();
    const closed = { status: 403, type: "unauthorized", detail: "closed today" };
    await using world = await httpWorld({ clock, before: (one) => one.refuse("account", closed) });
    const { authority, server } = world;
    const minutes = async (...expected: number[]) =>
      eventually(() => clock.waits().map((ms) => ms / MINUTE_MS), expected);
    await minutes(1);
    const error = "the authority answered 403: closed today";
    expect(status(server, clock.now())).toMatchObject({ state: "failing", last_error: error });
    expect((await ask(server, "/health")).status).toBe(503);
    authority.refuse("account", closed);
    clock.advance(MINUTE_MS);
    await minutes(2);
    authority.refuse("account", { ...closed, status: 429, headers: { "Retry-After": "3600" } });
    clock.advance(2 * MINUTE_MS);
    await minutes(60);
    expect(said(server, "cannot get a certificate; see cairn server tls acme status")).toMatchObject([
      { level: "error", error },
      { level: "error", error: "the authority answered 429: closed today" },
    ]);
    await server.restart();
    expect(authority.orders).toEqual([]);
    await minutes(12);
    clock.advance(12 * MINUTE_MS);
    await eventually(() => status(server, clock.now()).state, "valid");
    expect(status(server, clock.now()).last_error).toBeNull();
  });

  test("one that is down is named, and so is a domain that it cannot verify", async () => {
    await using authority = await acmeAuthority({ httpPort: () => 1 });
    const unproven = `${DOMAIN}: the authority could not verify it`;
    await using server = await serverWithAcme(authority);
    await eventually(() => status(server).state, "failing");
    expect(status(server).last_error).toBe(`${unproven}: no proof at ${DOMAIN}`);
    expect(await verdict(server)).toEqual([
      [
        "fail",
        `the last order of a certificate failed: ${unproven}: no proof at ${DOMAIN}; clients refuse the server until one succeeds`,
      ],
    ]);
    await server.restart(async (directory) => {
      await authority[Symbol.asyncDispose]();
      rmSync(join(directory, "tls"), { recursive: true });
    });
    await eventually(() => status(server).state, "failing");
    expect(status(server).last_error).toStartWith("cannot reach the authority at authority.example:");
  });
});

describe("DNS-01", () => {
  const TOKEN = "cf-token";

  async function dnsWorld(environment: Record<string, string>, before: (one: Authority) => void = () => {}) {
    await using stack = new AsyncDisposableStack();
    const cloudflare = stack.use(scriptedCloudflare("example.org", TOKEN));
    const authority = stack.use(await acmeAuthority({ txt: cloudflare.txt }));
    before(authority);
    const network: Network = {
      resolve: async (host) =>
        host === cloudflare.host
          ? [{ address: "127.0.0.1", port: cloudflare.port }]
          : authority.network.resolve(host, 0),
      allow: () => true,
      ca: authority.ca + cloudflare.ca,
    };
    let looks = 0;
    const resolveTxt = async (name: string) => {
      if (++looks === 1) throw new Error("not found");
      return cloudflare.txt(name);
    };
    const domains = ["example.org", "*.example.org"];
    const server = stack.use(
      await serverWithAcme(authority, {
        tls: { domains, challenge: "dns-01", dns: { provider: "cloudflare" } },
        acme: { environment, network, resolveTxt, dnsPollMs: 1, cloudflare: cloudflare.api },
      }),
    );
    const kept = stack.move();
    return { authority, cloudflare, server, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  test("proves a domain and its wildcard by TXT records, and removes them", async () => {
    await using world = await dnsWorld({ CLOUDFLARE_API_TOKEN: TOKEN });
    const { authority, cloudflare, server } = world;
    cloudflare.add("_acme-challenge.example.org", "of somebody else");
    await eventually(() => served(server, authority), issued("DNS:example.org, DNS:*.example.org"));
    await eventually(cloudflare.names, ["_acme-challenge.example.org"]);
    expect([cloudflare.most(), cloudflare.txt("_acme-challenge.example.org")]).toEqual([
      3,
      ["of somebody else"],
    ]);
    expect(said(server, "answering HTTP-01 challenges")).toEqual([]);
  });

  test("removes the records of an order that was interrupted with the next one", async () => {
    let held: Promise<() => void> | undefined;
    const before = (one: Authority) => (held = one.hold("challenge"));
    await using world = await dnsWorld({ CLOUDFLARE_API_TOKEN: TOKEN }, before);
    const { cloudflare, server } = world;
    const go = await held!;
    await server.restart(() => {
      expect(cloudflare.names()).toHaveLength(2);
      go();
    });
    await eventually(() => status(server).state, "valid");
    expect(cloudflare.names()).toEqual([]);
  });

  test("a token that the provider refuses is said", async () => {
    await using world = await dnsWorld({ CLOUDFLARE_API_TOKEN: "other" });
    await eventually(() => status(world.server).state, "failing");
    expect(status(world.server).last_error).toBe("Cloudflare answered 403: Invalid access token");
  });

  test("needs the token of the provider in the environment", async () => {
    await refusal(
      dnsWorld({}),
      "invalid",
      /cloudflare needs its API token in the environment variable CLOUDFLARE_API_TOKEN/,
    );
  });
});

test("a second server cannot use the same cache, nor the same port for HTTP-01", async () => {
  await using world = await httpWorld();
  const { authority, server } = world;
  const cache_dir = join(server.directory, "tls", "acme");
  await refusal(serverWithAcme(authority, { tls: { cache_dir } }), "conflict", /is in use by another server/);
  const http_addr = `127.0.0.1:${challengePort(server)}`;
  await refusal(
    serverWithAcme(authority, { tls: { http_addr } }),
    "conflict",
    /^tls\.acme\.http_addr: listen .* already in use; .*; the authority asks at port 80/,
  );
});

test("a server that was killed in the middle of an order finishes it after the next start, with the same account", async () => {
  let port = 0;
  await using authority = await acmeAuthority({ httpPort: () => port, at: "local" });
  await using folder = await temporaryFolder();
  await folder.write("ca.pem", authority.ca);
  await using server = await runContext();
  await server.end("SIGTERM");
  const given = ["--email", "ops@example.org", "--domain", DOMAIN];
  await server.printed("server", "tls", "acme", "enable", ...given);
  const { tls } = Bun.YAML.parse(await Bun.file(join(server.directory, "server.yaml")).text()) as {
    tls: { enabled: boolean; acme: Record<string, unknown> };
  };
  expect(tls).toEqual({
    enabled: true,
    acme: { enabled: true, email: "ops@example.org", domains: [DOMAIN], challenge: "http-01" },
  });
  Object.assign(tls.acme, { http_addr: "127.0.0.1:0", directory: authority.directory });
  configure(server.directory, { tls });
  const start = async () => {
    await server.start({ behind: ["env", `NODE_EXTRA_CA_CERTS=${join(folder.path, "ca.pem")}`] });
    port = Number(server.log.find(({ message }) => message === "answering HTTP-01 challenges")!["port"]);
  };
  const held = authority.hold("finalize");
  await start();
  const go = await held;
  const shown = () => server.data<{ state: string }>("server", "tls", "acme", "status");
  expect((await shown()).state).toBe("pending");
  await server.end("SIGKILL");
  go();
  await start();
  await eventually(async () => (await shown()).state, "valid");
  await server.end("SIGTERM");
  expect((await shown()).state).toBe("valid");
  expect(authority.accounts).toHaveLength(1);
});
