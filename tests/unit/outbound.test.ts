// Goal: no request leaves for an address that was not checked, and what goes wrong is told apart without saying more than it must.

import { expect, test } from "bun:test";
import { addressProblem, isMetadataAddress, nameProblem } from "../../src/kit/network/addresses.ts";
import {
  checkedEndpoints,
  OutboundFailure,
  sendOutbound,
  SYSTEM_NETWORK,
  type Network,
  type OutboundRequest,
} from "../../src/kit/network/outbound.ts";
import { selfSigned } from "../../src/kit/secrets/self-signed.ts";
import { eventually } from "../kit/eventually.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { within } from "../kit/within.ts";

const HOST = "api.example.org";

interface Far extends AsyncDisposable {
  port: number;
  cert: string;
  requests: Request[];
}

function far(answer: (request: Request) => Response | Promise<Response>): Far {
  const requests: Request[] = [];
  const { cert, key } = selfSigned([HOST], { now: Date.now(), days: 1 });
  // A request's headers are gone once it is answered, unless they were copied.
  const fetch = (incoming: Request) => (
    requests.push(new Request(incoming.url, { headers: incoming.headers })),
    answer(incoming)
  );
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { cert, key }, fetch });
  return { port: server.port!, cert, requests, [Symbol.asyncDispose]: () => server.stop(true) };
}

function leadingTo(server: Far, changes: Partial<Network> = {}): Network {
  const endpoint = { address: "127.0.0.1", port: server.port };
  return {
    resolve: () => Promise.resolve([endpoint]),
    allow: ({ address }) => address === "127.0.0.1",
    ca: server.cert,
    ...changes,
  };
}

function request(changes: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    url: new URL(`https://${HOST}/a?b=c`),
    method: "GET",
    headers: { "X-One": "1" },
    deadlineMs: 10_000,
    answerBytesMax: 1000,
    ...changes,
  };
}

async function failureOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
  } catch (error) {
    if (error instanceof OutboundFailure) return `${error.problem}: ${error.message}`;
    throw error;
  }
  throw new Error("it did not fail");
}

test.each([
  ["127.0.0.1", "loopback"],
  ["127.9.9.9", "loopback"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["::", "unspecified"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["192.168.1.1", "private"],
  ["::ffff:192.168.1.1", "private"],
  ["fd12::1", "unique local"],
  ["169.254.1.1", "link local"],
  ["fe80::1%eth0", "link local"],
  ["100.64.0.1", "carrier grade nat"],
  ["224.0.0.1", "multicast"],
  ["ff02::1", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["192.0.2.1", "reserved"],
  ["198.51.100.1", "reserved"],
  ["203.0.113.1", "reserved"],
  ["198.18.0.1", "reserved"],
  ["240.0.0.1", "reserved"],
  ["192.0.0.8", "reserved"],
  ["192.88.99.1", "reserved"],
  ["2001:db8::1", "reserved"],
  ["3fff::1", "reserved"],
  ["4000::1", "reserved"],
  ["2001:2::1", "benchmarking"],
  ["64:ff9b::7f00:1", "rfc6052"],
  ["2002:7f00:1::1", "6to4"],
  ["2001:0:1::1", "teredo"],
  ["fec0::1", "deprecated site local"],
  ["169.254.169.254", "a cloud metadata address"],
  ["::ffff:169.254.169.254", "a cloud metadata address"],
  ["168.63.129.16", "a cloud metadata address"],
  ["fd00:ec2::254", "a cloud metadata address"],
  ["64:ff9b::a9fe:a9fe", "a cloud metadata address"],
  ["2002:a9fe:a9fe::", "a cloud metadata address"],
  ["example.org", "not an address"],
])("%s is refused: %s", (address, problem) => {
  expect(addressProblem(address)).toBe(problem);
});

test.each([
  "8.8.8.8",
  "::ffff:8.8.8.8",
  "2606:4700::1111",
  "172.15.0.1",
  "172.32.0.1",
  "100.128.0.1",
  "198.20.0.1",
])("%s is an address of the internet", (address) => {
  expect(addressProblem(address)).toBeUndefined();
});

test("names of this machine and its network are refused without asking the resolver", async () => {
  expect(
    ["localhost", "LOCALHOST.", "a.localhost", "printer.local", "db.internal"].map(
      (name) => nameProblem(name) === undefined,
    ),
  ).toEqual([false, false, false, false, false]);
  expect(["localhost.example.org", "local.example.org", "internal.org"].map(nameProblem)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const network: Network = { ...SYSTEM_NETWORK, resolve: () => Promise.reject(new Error("asked")) };
  expect(await failureOf(checkedEndpoints(network, { url: new URL("https://db.internal/") }))).toBe(
    "refused: db.internal is a name of this machine or its own network",
  );
});

test("one refused address among several refuses the request, and nothing is sent", async () => {
  await using server = far(() => new Response("never"));
  const resolve = () =>
    Promise.resolve([
      { address: "8.8.8.8", port: 443 },
      { address: "10.0.0.7", port: 443 },
    ]);
  expect(await failureOf(sendOutbound(leadingTo(server, { resolve }), request()))).toBe(
    "refused: api.example.org resolves to 10.0.0.7, which is not a public address (private)",
  );
  expect(server.requests).toEqual([]);
});

test.each([
  ["https://127.0.0.1/", "127.0.0.1 is not a public address (loopback)"],
  ["https://2130706433/", "127.0.0.1 is not a public address (loopback)"],
  ["https://[::ffff:10.0.0.1]/", "[::ffff:a00:1] is not a public address (private)"],
])("%s is checked without a resolver", async (url, message) => {
  expect(await failureOf(checkedEndpoints(SYSTEM_NETWORK, { url: new URL(url) }))).toBe(
    `refused: ${message}`,
  );
});

test("no opt-out reaches a metadata address", async () => {
  const network: Network = {
    resolve: () => Promise.resolve([{ address: "169.254.169.254", port: 80 }]),
    allow: () => true,
  };
  const url = new URL("http://metadata.example.org/");
  expect(await failureOf(checkedEndpoints(network, { url, schemes: ["http"] }))).toBe(
    "refused: metadata.example.org resolves to 169.254.169.254, which is not a public address (a cloud metadata address)",
  );
  expect(isMetadataAddress("64:ff9b::a9fe:a9fe")).toBe(true);
});

test.each(["http://api.example.org/", "ftp://api.example.org/", "file:///etc/passwd"])(
  "%s is not https",
  async (url) => {
    const scheme = new URL(url).protocol;
    expect(await failureOf(checkedEndpoints(SYSTEM_NETWORK, { url: new URL(url) }))).toBe(
      `refused: ${scheme} is not allowed; use https`,
    );
  },
);

test("the connection goes to the checked address, with the name in SNI and Host", async () => {
  await using server = far(
    (received) =>
      new Response(`${received.method} ${new URL(received.url).pathname}`, {
        status: 201,
        headers: { "X-Two": "2" },
      }),
  );
  const answer = await sendOutbound(leadingTo(server), request({ method: "POST", body: "{}" }));
  expect([answer.status, answer.headers["x-two"], new TextDecoder().decode(answer.body)]).toEqual([
    201,
    "2",
    "POST /a",
  ]);
  const [received] = server.requests;
  expect([
    received!.headers.get("host"),
    received!.headers.get("x-one"),
    new URL(received!.url).search,
  ]).toEqual([HOST, "1", "?b=c"]);
});

test("a certificate that nobody vouches for, or for another name, ends it", async () => {
  await using server = far(() => new Response("never"));
  const unknown = { resolve: leadingTo(server).resolve, allow: leadingTo(server).allow };
  expect(await failureOf(sendOutbound(unknown, request()))).toBe("unreachable: DEPTH_ZERO_SELF_SIGNED_CERT");
  const other = request({ url: new URL("https://other.example.org/") });
  expect(await failureOf(sendOutbound(leadingTo(server), other))).toBe(
    "unreachable: ERR_TLS_CERT_ALTNAME_INVALID",
  );
  expect(server.requests).toEqual([]);
});

test("redirects are answers, not followed", async () => {
  await using server = far(
    () => new Response(null, { status: 302, headers: { Location: "https://api.example.org/elsewhere" } }),
  );
  expect((await sendOutbound(leadingTo(server), request())).status).toBe(302);
  expect(server.requests).toHaveLength(1);
});

test("a larger answer than allowed is a failure, an exact one is not", async () => {
  await using server = far(
    (received) => new Response("x".repeat(Number(new URL(received.url).searchParams.get("n")))),
  );
  const of = (n: number) =>
    sendOutbound(leadingTo(server), request({ url: new URL(`https://${HOST}/?n=${n}`) }));
  expect((await of(1000)).body.byteLength).toBe(1000);
  expect(await failureOf(of(1001))).toBe("too_large: the answer is larger than 1000 bytes");
});

test("one deadline covers resolving, connecting and reading", async () => {
  await using server = far(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })));
  const never = () => new Promise<never>(() => {});
  const timers = manualClock();
  const late = request({ deadlineMs: 300, timers });
  const resolving = failureOf(sendOutbound(leadingTo(server, { resolve: never }), late));
  timers.advance(300);
  expect(await resolving).toBe("deadline: no answer within 300 ms");
  const reading = failureOf(sendOutbound(leadingTo(server), late));
  await eventually(() => server.requests.length, 1);
  timers.advance(300);
  expect(await reading).toBe("deadline: no answer within 300 ms");
  expect(server.requests).toHaveLength(1);
});

test("an abort ends it at once, also before anything is sent", async () => {
  const asked = Promise.withResolvers<void>();
  await using server = far(() => (asked.resolve(), new Promise<Response>(() => {})));
  const abort = new AbortController();
  const sent = failureOf(sendOutbound(leadingTo(server), request({ signal: abort.signal })));
  await within("the server is asked", asked.promise);
  abort.abort();
  expect(await sent).toBe("stopped: stopped");
  expect(await failureOf(sendOutbound(leadingTo(server), request({ signal: abort.signal })))).toBe(
    "stopped: stopped",
  );
  expect(server.requests).toHaveLength(1);
});

test("distinguishes an unreachable host from an unresolved name", async () => {
  const nobody: Network = {
    ...SYSTEM_NETWORK,
    resolve: () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })),
  };
  expect(await failureOf(sendOutbound(nobody, request()))).toBe(
    "unresolved: api.example.org: host not found (ENOTFOUND)",
  );
  expect(await failureOf(sendOutbound({ ...nobody, resolve: () => Promise.resolve([]) }, request()))).toBe(
    "unresolved: api.example.org: host not found (no addresses)",
  );
  const gone = far(() => new Response());
  const network = leadingTo(gone);
  await gone[Symbol.asyncDispose]();
  expect(await failureOf(sendOutbound(network, request()))).toBe("unreachable: ECONNREFUSED");
});
