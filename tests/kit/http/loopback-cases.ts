// Requests that may or may not act as the admin, and what each must be answered: the rules of docs/loopback.md, written down a second
// time so that they can judge the guard. Must not import anything of src/kit/http.
//
// Each dimension lists its values, the plain one first: a request with only plain values is an ordinary local one.

/** `{port}` stands for the listener's port, `{host}` for the Host header as sent. */
export interface World {
  name: string;
  listen: "127.0.0.1" | "::1" | "localhost" | "0.0.0.0" | "127.0.0.2";
  loopbackAdmin: boolean;
  allowedHosts: readonly string[];
}

export const worlds: readonly World[] = [
  { name: "127.0.0.1", listen: "127.0.0.1", loopbackAdmin: true, allowedHosts: [] },
  { name: "[::1]", listen: "::1", loopbackAdmin: true, allowedHosts: [] },
  { name: "localhost", listen: "localhost", loopbackAdmin: true, allowedHosts: [] },
  { name: "0.0.0.0", listen: "0.0.0.0", loopbackAdmin: true, allowedHosts: [] },
  { name: "127.0.0.2", listen: "127.0.0.2", loopbackAdmin: true, allowedHosts: [] },
  { name: "127.0.0.1, loopback_admin: false", listen: "127.0.0.1", loopbackAdmin: false, allowedHosts: [] },
  {
    name: "127.0.0.1, allowed_hosts",
    listen: "127.0.0.1",
    loopbackAdmin: true,
    allowedHosts: ["cairn.example", "other.example:8443"],
  },
  {
    name: "0.0.0.0, allowed_hosts",
    listen: "0.0.0.0",
    loopbackAdmin: true,
    allowedHosts: ["cairn.example", "localhost"],
  },
];

/** Undefined: no header. A list: sent that many times. */
export const hosts = {
  own: "127.0.0.1:{port}",
  localhost: "localhost:{port}",
  "[::1]": "[::1]:{port}",
  "upper case": "LOCALHOST:{port}",
  missing: undefined,
  empty: "",
  "sent twice": ["127.0.0.1:{port}", "127.0.0.1:{port}"],
  "sent twice, foreign first": ["attacker.example", "127.0.0.1:{port}"],
  "sent twice, foreign last": ["127.0.0.1:{port}", "attacker.example"],
  "no port": "localhost",
  "port 80": "localhost:80",
  "wrong port": "localhost:1",
  "port with a zero": "localhost:0{port}",
  "port empty": "localhost:",
  "trailing dot": "localhost.:{port}",
  "user and password": "user:secret@localhost:{port}",
  "a path": "localhost:{port}/x",
  "a foreign name": "attacker.example:{port}",
  "a name that begins like ours": "localhost.attacker.example:{port}",
  "127.0.0.2": "127.0.0.2:{port}",
  "0.0.0.0": "0.0.0.0:{port}",
  "long form of ::1": "[0:0:0:0:0:0:0:1]:{port}",
  "::1 without brackets": "::1:{port}",
  "mapped address": "[::ffff:127.0.0.1]:{port}",
  "short address": "127.1:{port}",
  "decimal address": "2130706433:{port}",
  "allowed name": "cairn.example",
  "allowed name, upper case": "CAIRN.example:9",
  "allowed name with its port": "other.example:8443",
  "allowed name, another port": "other.example:8444",
} satisfies Record<string, string | string[] | undefined>;

export const origins = {
  absent: undefined,
  own: "http://{host}",
  "own, TLS": "https://{host}",
  null: "null",
  empty: "",
  "another port": "http://localhost:1",
  "localhost without a port": "http://localhost",
  "a foreign site": "http://attacker.example",
  "own with a slash": "http://{host}/",
  "own and a foreign one": ["http://{host}", "http://attacker.example"],
  "a name that begins like ours": "http://{host}.attacker.example",
} satisfies Record<string, string | string[] | undefined>;

/** Sec-Fetch-Site, -Mode, -Dest. */
export const fetchSites = {
  absent: [],
  "same-origin": ["same-origin", "cors", "empty"],
  "none, address bar": ["none", "navigate", "document"],
  "none, not a navigation": ["none", "no-cors", "image"],
  "same-site, fetch": ["same-site", "cors", "empty"],
  "cross-site, fetch": ["cross-site", "cors", "empty"],
  "cross-site, image": ["cross-site", "no-cors", "image"],
  "cross-site, script": ["cross-site", "no-cors", "script"],
  "cross-site, link": ["cross-site", "navigate", "document"],
  "same-site, link": ["same-site", "navigate", "document"],
  "cross-site, frame": ["cross-site", "navigate", "iframe"],
  "cross-site, no mode": ["cross-site"],
  "cross-site, WebSocket": ["cross-site", "websocket", "empty"],
  "an unknown word": ["same_origin", "cors", "empty"],
  "same-origin and cross-site": ["same-origin, cross-site", "cors", "empty"],
} satisfies Record<string, string[]>;

/** Of proxies, tunnels and CDNs that the rules do not name. */
export const otherProxies = {
  "X-Forwarded": "for=192.0.2.1",
  "Forwarded-For": "192.0.2.1",
  "X-Original-URL": "/api/v1/whoami",
  "X-Original-Host": "cairn.example",
  "X-ProxyUser-Ip": "192.0.2.1",
  "X-Proxy-Id": "1",
  "X-Scheme": "https",
  "X-Request-Start": "t=1",
  "X-Amzn-Trace-Id": "Root=1-67891233-abcdef012345678912345678",
  "X-Amz-Cf-Id": "a",
  "X-Appengine-Country": "ZZ",
  "X-Azure-Ref": "a",
  "X-Vercel-Id": "a",
  "X-Envoy-Attempt-Count": "1",
  "CDN-Loop": "cdn",
  "CF-Ray": "1-a",
  "Fly-Region": "ams",
  "Ngrok-Auth-User-Email": "someone@example",
  "Proxy-Connection": "keep-alive",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "X-B3-TraceId": "80f198ee56343ba864fe8b2a57d3eff7",
  "X-Nobody-Knows-Yet": "1",
  /** Of a proxy that is configured for WebSockets. */
  Connection: "upgrade",
} satisfies Record<string, string>;

export const forwardings = {
  none: undefined,
  Forwarded: "for=192.0.2.1",
  Via: "1.1 proxy",
  "X-Forwarded-For": "127.0.0.1",
  "X-Forwarded-Host": "localhost",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Anything": "1",
  "X-Real-IP": "127.0.0.1",
  "CF-Connecting-IP": "127.0.0.1",
  "True-Client-IP": "127.0.0.1",
  "X-Envoy-External-Address": "127.0.0.1",
  "Tailscale-User-Login": "someone@example",
  ...otherProxies,
} satisfies Record<string, string | undefined>;

export const bodies = {
  none: { type: undefined, sent: false },
  JSON: { type: "application/json", sent: true },
  "JSON with a charset": { type: "application/json; charset=utf-8", sent: true },
  "JSON, upper case": { type: "Application/JSON", sent: true },
  "JSON with a charset, upper case, in quotes": { type: 'application/json ; Charset="UTF-8"', sent: true },
  "JSON with another charset": { type: "application/json; charset=latin1", sent: true },
  "JSON with two charsets": { type: "application/json; charset=utf-8; charset=latin1", sent: true },
  "JSON with something else": { type: "application/json; boundary=b", sent: true },
  "a type that begins like JSON": { type: "application/json-seq", sent: true },
  text: { type: "text/plain", sent: true },
  form: { type: "application/x-www-form-urlencoded", sent: true },
  multipart: { type: "multipart/form-data; boundary=b", sent: true },
  "no type": { type: undefined, sent: true },
  "form type, nothing in it": { type: "application/x-www-form-urlencoded", sent: false },
} satisfies Record<string, { type: string | undefined; sent: boolean }>;

export const peers = {
  "127.0.0.1": "127.0.0.1",
  "::1": "::1",
  "::ffff:127.0.0.1": "::ffff:127.0.0.1",
  "127.0.0.2": "127.0.0.2",
  "127.0.0.10": "127.0.0.10",
  "another machine": "192.0.2.7",
  unknown: undefined,
} satisfies Record<string, string | undefined>;

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export const kinds = ["api", "stream", "page", "asset"] as const;

export interface Case {
  peer: keyof typeof peers;
  host: keyof typeof hosts;
  origin: keyof typeof origins;
  site: keyof typeof fetchSites;
  forwarding: keyof typeof forwardings;
  body: keyof typeof bodies;
  method: (typeof methods)[number];
  kind: (typeof kinds)[number];
}

export const plain: Case = {
  peer: "127.0.0.1",
  host: "own",
  origin: "absent",
  site: "absent",
  forwarding: "none",
  body: "none",
  method: "GET",
  kind: "api",
};

export const messages = {
  host: "the request needs exactly one valid Host header",
  otherHost: "this server does not answer for host",
  origin: "requests from another origin are refused",
  site: "requests from another site are refused",
  body: "a POST body needs",
} as const;

/** The outcome by the rules: refused, and with which words, or let in, with the privilege or without. */
export type Answer =
  | { status: 421; message: string }
  | { status: 403; message: string }
  | { status: 400; message: string }
  | { status: "admitted"; privilege: boolean };

/** Rules 1 to 6, in the order in which a request is asked. */
export function expectedAnswer(world: World, request: Case, port: number): Answer {
  const text = hostSent(request, port);
  const host = hostVerdict(world, text, port);
  if (host === "broken") return { status: 421, message: messages.host };
  if (host === "foreign") return { status: 421, message: messages.otherHost };
  if (!originFits(request, host, text ?? "")) return { status: 403, message: messages.origin };
  if (!siteFits(request)) return { status: 403, message: messages.site };
  if (!bodyFits(request)) return { status: 400, message: messages.body };
  const local = world.listen === "127.0.0.1" || world.listen === "::1" || world.listen === "localhost";
  const peer = ["127.0.0.1", "::1", "::ffff:127.0.0.1"].includes(peers[request.peer] ?? "");
  const direct = request.forwarding === "none";
  return { status: "admitted", privilege: world.loopbackAdmin && local && host === "ours" && peer && direct };
}

type HostVerdict = "ours" | "allowed" | "any" | "broken" | "foreign";

/** The header's only value in lower case; undefined when there is none or more than one. */
function hostSent(request: Case, port: number): string | undefined {
  const value: string | string[] | undefined = hosts[request.host];
  return typeof value === "string" ? value.replaceAll("{port}", String(port)).toLowerCase() : undefined;
}

/** Rule 3. A `Host` is a name or a bracketed address with at most one port (RFC 9110, 7.2), nothing else. */
function hostVerdict(world: World, host: string | undefined, port: number): HostVerdict {
  if (host === undefined || host === "" || /[@/\s,]/.test(host) || host.endsWith(":")) return "broken";
  const [, name = "", given] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? [];
  if (name === "" || (given?.length ?? 0) > 5) return "broken";
  const loopbackListener = ["127.0.0.1", "::1", "localhost"].includes(world.listen);
  const ownPort = given === String(port) || (given === undefined && port === 80);
  if (loopbackListener && ["localhost", "127.0.0.1", "[::1]"].includes(name) && ownPort) return "ours";
  if (world.allowedHosts.includes(name) || world.allowedHosts.includes(host)) return "allowed";
  return !loopbackListener && world.allowedHosts.length === 0 ? "any" : "foreign";
}

/** Rule 4; a name in `allowed_hosts` may stand behind a proxy that speaks TLS. */
function originFits(request: Case, host: HostVerdict, hostText: string): boolean {
  const value: string | string[] | undefined = origins[request.origin];
  if (value === undefined) return true;
  const origin = typeof value === "string" ? value.replace("{host}", hostText) : "two values";
  return origin === `http://${hostText}` || (host === "allowed" && origin === `https://${hostText}`);
}

/** Rule 5: links and the address bar may open a page; nothing of another site reaches the API or loads a file. */
function siteFits(request: Case): boolean {
  const [site, mode, destination] = fetchSites[request.site] as [string?, string?, string?];
  if (site === undefined || site === "same-origin") return true;
  if (!["none", "same-site", "cross-site"].includes(site)) return false;
  const isApi = request.kind === "api" || request.kind === "stream";
  const opensPage = (mode ?? "navigate") === "navigate" && (destination ?? "document") === "document";
  return request.method === "GET" && !isApi && opensPage;
}

/** Rule 6. */
function bodyFits(request: Case): boolean {
  if (request.method !== "POST") return true;
  const { type, sent } = bodies[request.body];
  if (type === undefined) return !sent;
  const [essence, ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim().replaceAll('"', ""));
  return essence === "application/json" && ["", "charset=utf-8"].includes(parameters.join(";"));
}

/** Every request that differs from a plain one in one thing, for every method and kind of path that a person could mean. */
export function singleFaults(): Case[] {
  const shapes: Partial<Case>[] = [
    ...kinds.map((kind) => ({ kind })),
    ...(["POST", "PUT", "PATCH"] as const).map((method) => ({ method, body: "JSON" as const })),
    ...(["HEAD", "DELETE", "OPTIONS", "POST"] as const).map((method) => ({ method })),
    { method: "POST", kind: "page" },
  ];
  return shapes.flatMap((shape) => oneChange({ ...plain, ...shape }));
}

/** `base` itself, then each other value of each dimension. */
export function oneChange(base: Case): Case[] {
  const dimensions = {
    host: hosts,
    origin: origins,
    site: fetchSites,
    forwarding: forwardings,
    body: bodies,
    peer: peers,
  };
  const changes = Object.entries(dimensions).flatMap(([dimension, values]) =>
    Object.keys(values)
      .filter((value) => value !== base[dimension as keyof Case])
      .map((value): Case => ({ ...base, [dimension]: value })),
  );
  return [base, ...changes];
}

/** Header lines in the order sent, lower-case names. */
export function headerLines(request: Case, port: number): [string, string][] {
  const filled = (text: string) => text.replaceAll("{port}", String(port));
  const sent = (value: string | string[] | undefined) =>
    (value === undefined ? [] : [value].flat()).map(filled);
  const hostLines = sent(hosts[request.host]);
  const ownOrigin = (hostLines[0] ?? "").toLowerCase();
  const [site, mode, destination] = fetchSites[request.site] as [string?, string?, string?];
  const { type, sent: hasBody } = bodies[request.body];
  const lines: [string, string | undefined][] = [
    ...hostLines.map((host): [string, string] => ["host", host]),
    ...sent(origins[request.origin]).map((origin): [string, string] => [
      "origin",
      origin.replaceAll("{host}", ownOrigin),
    ]),
    ["sec-fetch-site", site],
    ["sec-fetch-mode", mode],
    ["sec-fetch-dest", destination],
    [request.forwarding.toLowerCase(), forwardings[request.forwarding]],
    ["content-type", type],
    ["content-length", hasBody ? "length" : request.method === "POST" ? "0" : undefined],
  ];
  return lines.filter((line): line is [string, string] => line[1] !== undefined);
}
