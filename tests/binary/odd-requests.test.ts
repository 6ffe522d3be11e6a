// Goal: requests that no browser or library sends (old versions, odd targets, doubled and folded headers, upgrades) get no further than
// plain ones, and request ids are taken over only when they are harmless.

import { describe, expect, test } from "bun:test";
import { shared } from "../kit/group-resource.ts";
import { errorIn } from "../kit/http/client.ts";
import { rawRequest, type RawAnswer } from "../kit/http/raw-http.ts";
import { runService } from "../kit/service/running.ts";

const service = shared(() => runService());

/** `{own}` is the Host header that fits. Lines are joined by CRLF and an empty line is added. */
function send(...lines: string[]): Promise<RawAnswer> {
  const text = [...lines, "", ""].join("\r\n").replaceAll("{own}", `127.0.0.1:${service.port}`);
  return rawRequest(service.url, text);
}

/** `200 loopback`, `200 page`, `421 misdirected`, `400` (refused by the parser, before any code of ours). */
async function outcome(...lines: string[]): Promise<string> {
  const { status, headers, body } = await send(...lines);
  if (body === "") return String(status);
  if (headers["content-type"]?.startsWith("text/html")) return `${status} page`;
  return `${status} ${errorIn(body)?.code ?? JSON.parse(body).auth}`;
}

const WHOAMI = "GET /api/v1/whoami HTTP/1.1";
const OWN = "Host: {own}";
/** The account decides on systems that tell whose program it is. */
const BY_ACCOUNT = process.platform === "linux" ? "200 loopback" : "401 unauthenticated";

/** The difference of the request, its lines, its outcome. */
const cases: [string, string[], string][] = [
  ["nothing", [WHOAMI, OWN], "200 loopback"],
  ["lower-case header name", [WHOAMI, "host: {own}"], "200 loopback"],
  ["white space around the value", [WHOAMI, "Host:\t {own} \t"], "200 loopback"],
  [
    "HTTP/1.0 with a Host, which the parser does not tell apart",
    ["GET /api/v1/whoami HTTP/1.0", OWN],
    "200 loopback",
  ],
  ["HTTP/1.0 without a Host", ["GET /api/v1/whoami HTTP/1.0"], "421 misdirected"],
  ["no Host", [WHOAMI], "400"],
  ["a folded Host", [WHOAMI, "Host:", " {own}"], "400"],
  ["a Host with a folded second part", [WHOAMI, OWN, " attacker.example"], "400"],
  ["a space before the colon", [WHOAMI, "Host : {own}"], "400"],
  ["a zero byte in the Host", [WHOAMI, "Host: {own}\0"], "400"],
  ["two Hosts in one value", [WHOAMI, "Host: {own}, attacker.example"], "421 misdirected"],
  [
    "two Hosts, another between them",
    [WHOAMI, OWN, "Accept: */*", "Host: attacker.example"],
    "421 misdirected",
  ],
  ["absolute form, own authority", ["GET http://{own}/api/v1/whoami HTTP/1.1", OWN], "200 loopback"],
  [
    "absolute form, foreign Host",
    ["GET http://{own}/api/v1/whoami HTTP/1.1", "Host: attacker.example"],
    "421 misdirected",
  ],
  [
    "a target that is only an authority",
    ["CONNECT attacker.example:443 HTTP/1.1", "Host: attacker.example:443"],
    "421 misdirected",
  ],
  ["a target of another scheme", ["GET ftp://{own}/api/v1/whoami HTTP/1.1", OWN], "400"],
  ["asterisk form", ["OPTIONS * HTTP/1.1", OWN], "400"],
  ["no version", ["GET /api/v1/whoami", OWN], "505"],
  ["two slashes are no API path", ["GET //api/v1/whoami HTTP/1.1", OWN], "200 page"],
  ["an escaped letter is no API path", ["GET /%61pi/v1/whoami HTTP/1.1", OWN], "200 page"],
  ["dot segments are resolved first", ["GET /x/../api/v1/whoami HTTP/1.1", OWN], "200 loopback"],
  ["escaped dot segments as well", ["GET /x/%2e%2e/api/v1/whoami HTTP/1.1", OWN], "200 loopback"],
  [
    "dot segments do not make an API path a page",
    [
      "GET /x/../api/v1/whoami HTTP/1.1",
      OWN,
      "Sec-Fetch-Site: cross-site",
      "Sec-Fetch-Mode: navigate",
      "Sec-Fetch-Dest: document",
    ],
    "403 forbidden",
  ],
  [
    "two origins, ours first",
    [WHOAMI, OWN, "Origin: http://{own}", "Origin: http://attacker.example"],
    "403 forbidden",
  ],
  [
    "two fetch sites, ours first",
    [WHOAMI, OWN, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
    "403 forbidden",
  ],
  ["an empty forwarding header", [WHOAMI, OWN, "Via:"], "401 unauthenticated"],
  ["a forwarding header in odd case", [WHOAMI, OWN, "x-FORWARDED-for: 127.0.0.1"], "401 unauthenticated"],
  ["an empty Authorization", [WHOAMI, OWN, "Authorization:"], "401 unauthenticated"],
  ["a token that is not valid", [WHOAMI, OWN, "Authorization: Bearer cairn_x"], "401 unauthenticated"],
  ["another scheme", [WHOAMI, OWN, "Authorization: Basic YWRtaW46"], "401 unauthenticated"],
  ["a session that is not valid", [WHOAMI, OWN, "Cookie: a=b; cairn_session=x"], "401 unauthenticated"],
  [
    "a method that is overridden",
    ["POST /api/v1/users/1 HTTP/1.1", OWN, "X-HTTP-Method-Override: DELETE", "Content-Length: 0"],
    "405 wrong_method",
  ],
  [
    "HTTP/1.0 as a proxy writes it, from a person's account",
    ["GET /api/v1/whoami HTTP/1.0", OWN, "Connection: close"],
    BY_ACCOUNT,
  ],
  ["a connection that ends", [WHOAMI, OWN, "Connection: Close"], BY_ACCOUNT],
  ["a connection that ends, among others", [WHOAMI, OWN, "Connection: TE, close"], BY_ACCOUNT],
  ["a connection that stays", [WHOAMI, OWN, "Connection: keep-alive"], "200 loopback"],
  // nginx's usual configuration for WebSockets, without a Host line: every request of a stranger says that it upgrades.
  ["a proxy for WebSockets", [WHOAMI, OWN, "Connection: upgrade"], "401 unauthenticated"],
  [
    "a proxy for WebSockets, whose client asks for one",
    [WHOAMI, OWN, "Connection: upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="],
    "401 unauthenticated",
  ],
  [
    "a proxy for WebSockets, whose client asks for HTTP/2",
    [WHOAMI, OWN, "Connection: upgrade", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQ"],
    "401 unauthenticated",
  ],
  [
    "a client that offers HTTP/2",
    [WHOAMI, OWN, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQ"],
    "200 loopback",
  ],
  [
    "a connection with a token that no client sends",
    [WHOAMI, OWN, "Connection: x-foo"],
    "401 unauthenticated",
  ],
  ["a connection with tokens of clients", [WHOAMI, OWN, "Connection: TE, Keep-Alive"], "200 loopback"],
  ["a header that no client writes", [WHOAMI, OWN, "X-Anything: 1"], "401 unauthenticated"],
  [
    "a trailer that is announced",
    [
      "POST /api/v1/turns/99/cancel HTTP/1.1",
      OWN,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
      "Trailer: X-A",
      "",
      "2",
      "{}",
      "0",
    ],
    "400 invalid",
  ],
  [
    "two content types, JSON last",
    [
      "POST /api/v1/teams HTTP/1.1",
      OWN,
      "Content-Type: text/plain",
      "Content-Type: application/json",
      "Content-Length: 0",
    ],
    "400 invalid",
  ],
  [
    "two lengths of a body",
    ["POST /api/v1/teams HTTP/1.1", OWN, "Content-Length: 0", "Transfer-Encoding: chunked"],
    "400",
  ],
  [
    "an unknown length without a type",
    ["POST /api/v1/teams HTTP/1.1", OWN, "Transfer-Encoding: chunked", "", "0"],
    "400 invalid",
  ],
];

describe("odd requests", () => {
  for (const [name, lines, expected] of cases) {
    test(name, async () => {
      expect(await outcome(...lines)).toBe(expected);
    });
  }

  test("an upgrade to WebSocket passes the same guard before anything else", async () => {
    const upgrade = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    expect(await outcome(WHOAMI, OWN, ...upgrade, "Origin: http://attacker.example")).toBe("403 forbidden");
    expect(await outcome(WHOAMI, "Host: attacker.example", ...upgrade)).toBe("421 misdirected");
    expect(
      await outcome(WHOAMI, OWN, ...upgrade, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: websocket"),
    ).toBe("403 forbidden");
  });

  test("no answer carries a CORS header, a preflight's neither", async () => {
    const preflight = [
      "Origin: http://{own}",
      "Access-Control-Request-Method: PUT",
      "Access-Control-Request-Headers: content-type",
    ];
    const answers = [
      await send("OPTIONS /api/v1/users/1/password HTTP/1.1", OWN, ...preflight),
      await send(WHOAMI, OWN, "Origin: http://{own}"),
      await send(WHOAMI, OWN, "Origin: http://attacker.example"),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([405, 200, 403]);
    const cors = answers
      .flatMap((answer) => Object.keys(answer.headers))
      .filter((name) => name.startsWith("access-control-"));
    expect(cors).toEqual([]);
  });

  test("the text of a refused Host is cut, so that a long one does not come back whole", async () => {
    const { status, body } = await send(WHOAMI, `Host: ${"a".repeat(5000)}`);
    expect([status, body.length < 400]).toEqual([421, true]);
  });

  test("a harmless X-Request-Id comes back, also with an error; any other is replaced", async () => {
    const idOf = async (...lines: string[]) => (await send(...lines)).headers["x-request-id"]!;
    expect(await idOf(WHOAMI, OWN, "X-Request-Id: aB0._:-")).toBe("aB0._:-");
    expect(await idOf(WHOAMI, "Host: attacker.example", "X-Request-Id: mine")).toBe("mine");
    expect(await idOf(WHOAMI, OWN, `X-Request-Id: ${"a".repeat(64)}`)).toBe("a".repeat(64));
    const error = await send(WHOAMI, OWN, "X-Request-Id: with-error", "Authorization: Bearer x");
    expect(JSON.parse(error.body)).toEqual({
      error: {
        message: "the token is not valid: it is unknown, revoked or expired",
        code: "unauthenticated",
        request_id: "with-error",
        details: { credential: "invalid" },
      },
    });
    for (const given of ["", "a b", "a,b", "ä", "<b>", "a".repeat(65), 'a"']) {
      expect(await idOf(WHOAMI, OWN, `X-Request-Id: ${given}`)).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
    }
    expect(await idOf(WHOAMI, OWN, "X-Request-Id: a", "X-Request-Id: b")).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  });
});
