// Decides which requests are admitted, and which of them have the loopback privilege ("a request from loopback is the admin").
//
// Pure: facts in, verdict out, so that tests can generate the whole matrix of cases. It guards every path: API, UI, event streams and WebSocket
// upgrades. The peer address alone proves nothing: a browser page, DNS rebinding, a reverse proxy and a port forward all arrive as 127.0.0.1.
// Headers can remove the privilege; nothing a client sends can grant it.

import { AppError } from "../error.ts";
import { hostAndPort } from "../network/hosts.ts";
import type { PeerOwner } from "../network/peer-owner.ts";
import { requireJsonType } from "./json-type.ts";

export type Scheme = "http" | "https";

export interface ListenFacts {
  readonly port: number;
  /** Absent: `http`. */
  readonly scheme?: Scheme;
  /** The Host values of clients on this machine: `loopbackHosts`. */
  readonly loopbackHosts: ReadonlySet<string>;
  /** The bound address, as the system spells it. */
  readonly address: string;
  /** The configured address is 127.0.0.1, ::1 or localhost, so the socket's local address is loopback too. */
  readonly loopback: boolean;
  /** `loopback_admin` in the configuration. */
  readonly loopbackAdmin: boolean;
  /** The ID of the user who runs the server; undefined: the system has none. */
  readonly user: number | undefined;
  /** `allowed_hosts`: lower case, `name` (any port) or `name:port`. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Folders of pages whose forms are accepted, such as `/console/`. Empty or absent: every POST is JSON. */
  readonly formFolders?: readonly string[];
  /** Matches the paths of WebSockets. Absent: there are none, so no client asks to upgrade a connection. */
  readonly socketPaths?: RegExp | undefined;
}

export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  /** Lower-case names; a header sent twice has its values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Evaluated lazily, because it costs more than all other checks together. */
  peer(): string | undefined;
  /** Whose program is at the other end, if it is on this machine. Evaluated last, because it asks the system. */
  peerOwner(): PeerOwner;
}

/** Why a request that seems to come from this machine has no privilege: the first header that shows a proxy, or the account of the program that sent it. */
export type LostBy = { readonly header: string } | { readonly account: "daemon" };

/** An admitted request. */
export class Admission {
  readonly #listen: ListenFacts;
  readonly #host: CheckedHost;
  readonly #request: RequestFacts;

  constructor(listen: ListenFacts, host: CheckedHost, request: RequestFacts) {
    this.#listen = listen;
    this.#host = host;
    this.#request = request;
  }

  /** A program on this machine sent the request, without a proxy. */
  isDirectLocal(): boolean {
    return isDirectLocal(this.#listen, this.#host, this.#request);
  }

  /** The request may act as the admin if it has no credential. */
  loopbackPrivilege(): boolean {
    return this.#couldBePrivileged() && this.isDirectLocal() && !this.#isFromDaemon();
  }

  /**
   * Names the reason why a request has no loopback privilege although a client on this machine may have sent it; undefined: it has it, or for another
   * reason. Strangers behind a proxy that names itself learn nothing from it.
   */
  privilegeLostBy(): LostBy | undefined {
    if (!this.#couldBePrivileged() || !LOOPBACK_PEERS.has(this.#request.peer() ?? "")) return undefined;
    if (Object.keys(this.#request.headers).some((name) => FORWARDING.test(name))) return undefined;
    const header = signOfProxy(this.#listen, this.#request);
    if (header !== undefined) return { header };
    return this.#isFromDaemon() ? { account: "daemon" } : undefined;
  }

  #couldBePrivileged(): boolean {
    const { loopbackAdmin, loopback } = this.#listen;
    return loopbackAdmin && loopback && this.#host.kind === "loopback";
  }

  /** A proxy without any sign in its requests is found by the account that it runs under. One that has left cannot be asked. */
  #isFromDaemon(): boolean {
    const owner = this.#request.peerOwner();
    return owner !== undefined && !isClientAccount(this.#listen, owner);
  }
}

const ROOT = 0;
/** Accounts of people have IDs from 1000 on. systemd and the kernel use these two ranges for accounts of programs ("Users, Groups, UIDs and GIDs on systemd Systems"). */
const PEOPLE_FROM = 1_000;
const DYNAMIC = { from: 61_184, to: 65_519 };
const NOBODY = { from: 65_533, to: 65_535 };

/** Reports whether a client may run under this account: root, the server's own, or that of a person. */
function isClientAccount({ user }: ListenFacts, owner: NonNullable<PeerOwner>): boolean {
  return owner === user || owner === ROOT || (owner !== "gone" && !isDaemonAccount(owner));
}

function isDaemonAccount(user: number): boolean {
  const isIn = ({ from, to }: typeof DYNAMIC) => user >= from && user <= to;
  return user < PEOPLE_FROM || isIn(DYNAMIC) || isIn(NOBODY);
}

const LOOPBACK_PEERS = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);
const LOOPBACK_PEER = /^(?:::ffff:)?127\.|^::1$/;
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];
const DEFAULT_PORTS = { http: 80, https: 443 } as const;

/**
 * The headers that browsers and HTTP clients send by default. Any other header suggests a proxy: a list of the headers that proxies, tunnels and
 * CDNs add would never be complete.
 */
const DIRECT_HEADERS = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "authorization",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "cookie",
  "dnt",
  "expect",
  "host",
  "http2-settings",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "keep-alive",
  "last-event-id",
  "origin",
  "postman-token",
  "pragma",
  "priority",
  "purpose",
  "range",
  "referer",
  "save-data",
  "service-worker",
  "te",
  "transfer-encoding",
  "upgrade",
  "upgrade-insecure-requests",
  "user-agent",
  "x-prometheus-scrape-timeout-seconds",
  "x-request-id",
  "x-requested-with",
]);
/** Headers that only proxies, tunnels and CDNs send. The privilege does not depend on this list. */
const FORWARDING =
  /^(?:forwarded|via|(?:x-)?(?:forwarded|real|original|client|cluster|envoy|proxy|azure|amz|amzn|arr)-.*|true-client-ip|(?:cf|fly|fastly|cdn|tailscale|ngrok)-.*)$/;
const DIRECT_PREFIXES = ["sec-", "access-control-request-"];

/** The tokens of `Connection` that clients send, besides `upgrade`. */
const DIRECT_CONNECTION = new Set(["keep-alive", "te", "http2-settings"]);

const FORM_TYPE = "application/x-www-form-urlencoded";

const HOST_SHAPE = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?$/;

/** Raises `misdirected` (421) for a wrong Host, `forbidden` for a foreign origin, `invalid` for a body type browsers can forge. */
export function admit(listen: ListenFacts, request: RequestFacts): Admission {
  const host = checkHost(listen, request.headers["host"]);
  checkOrigin(host, request.headers["origin"], listen);
  checkFetchSite(request);
  checkBodyType(listen, request);
  checkTrailer(request);
  return new Admission(listen, host, request);
}

interface CheckedHost {
  readonly value: string;
  readonly kind: "loopback" | "allowed" | "any";
}

function checkHost(listen: ListenFacts, header: string | undefined): CheckedHost {
  const value = header?.toLowerCase() ?? "";
  if (listen.loopback && listen.loopbackHosts.has(value)) return { value, kind: "loopback" };
  if (!HOST_SHAPE.test(value)) {
    throw new AppError("misdirected", "the request needs exactly one valid Host header");
  }
  const name = value.replace(/:[0-9]+$/, "");
  if (listen.allowedHosts.has(value) || listen.allowedHosts.has(name)) return { value, kind: "allowed" };
  if (!listen.loopback && listen.allowedHosts.size === 0) return { value, kind: "any" };
  throw new AppError(
    "misdirected",
    `this server does not answer for host "${value.slice(0, 100)}"; use a name it listens on, or add the name to allowed_hosts`,
  );
}

/** Lower case. */
export function loopbackHosts(port: number, scheme: Scheme = "http"): ReadonlySet<string> {
  const withPort = LOOPBACK_NAMES.map((name) => `${name}:${port}`);
  return new Set(port === DEFAULT_PORTS[scheme] ? [...withPort, ...LOOPBACK_NAMES] : withPort);
}

/** Behind a TLS reverse proxy (a name in `allowed_hosts`), the browser's scheme is https while ours is http. */
function checkOrigin(host: CheckedHost, origin: string | undefined, { scheme = "http" }: ListenFacts): void {
  if (origin === undefined) return;
  if (origin === `${scheme}://${host.value}`) return;
  if (host.kind === "allowed" && origin === `https://${host.value}`) return;
  throw new AppError("forbidden", "requests from another origin are refused");
}

function checkFetchSite(request: RequestFacts): void {
  const site = request.headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  const opensPage = request.method === "GET" && !isApi(request.path) && isNavigation(request);
  if (opensPage && (site === "none" || site === "same-site" || site === "cross-site")) return;
  throw new AppError("forbidden", "requests from another site are refused");
}

/** Recognizes a link or the address bar. Browsers that send Sec-Fetch-Site also send Sec-Fetch-Mode; a subresource is not a navigation. */
function isNavigation(request: RequestFacts): boolean {
  const mode = request.headers["sec-fetch-mode"];
  const destination = request.headers["sec-fetch-dest"];
  return (
    (mode === undefined || mode === "navigate") && (destination === undefined || destination === "document")
  );
}

function checkBodyType({ formFolders = [] }: ListenFacts, request: RequestFacts): void {
  if (request.method !== "POST") return;
  const type = request.headers["content-type"];
  if (formFolders.some((folder) => request.path.startsWith(folder))) return checkForm(type, request);
  if (type === undefined && !hasBody(request)) return;
  requireJsonType(type, "a POST body");
}

/** Any site can make a browser send a form, so the browser has to say that one of our own pages did. Every browser names the origin of a form. */
function checkForm(type: string | undefined, request: RequestFacts): void {
  if (request.headers["origin"] === undefined)
    throw new AppError("forbidden", "a form needs the Origin header of a page of this server");
  if (type !== FORM_TYPE) throw new AppError("invalid", `a form has the content type ${FORM_TYPE}`);
}

/** Bun does not expose trailers, and detects an unannounced one only after the body (body.ts). */
function checkTrailer(request: RequestFacts): void {
  if (request.headers["trailer"] === undefined) return;
  throw new AppError("invalid", "a body must not have a trailer");
}

function hasBody(request: RequestFacts): boolean {
  const length = request.headers["content-length"];
  return request.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/**
 * A proxy on this machine also connects from loopback, so the request must show no sign of one: only headers of local clients, and a Host that
 * they send. A server bound to one other address of this machine is reached through that address, from that address.
 */
function isDirectLocal(listen: ListenFacts, { value }: CheckedHost, request: RequestFacts): boolean {
  const namesLoopback = listen.loopbackHosts.has(value);
  const namesBound = value === hostAndPort(listen.address, listen.port);
  if (!namesLoopback && !namesBound) return false;
  if (signOfProxy(listen, request) !== undefined) return false;
  const peer = request.peer() ?? "";
  return namesLoopback ? LOOPBACK_PEERS.has(peer) : peer === listen.address;
}

/** Returns the first header that local clients do not send. */
function signOfProxy(listen: ListenFacts, request: RequestFacts): string | undefined {
  const foreign = Object.keys(request.headers).find((name) => !isDirectHeader(name));
  return foreign ?? foreignConnection(listen, request);
}

function isDirectHeader(name: string): boolean {
  return DIRECT_HEADERS.has(name) || DIRECT_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * Recognizes reverse proxies that pass on our own address as Host and add no header: `close` comes from one that speaks HTTP/1.0, whose version Bun
 * does not expose, and `upgrade` from one that is configured for WebSockets and says it with every request. Some clients, such as Python's urllib,
 * send `close`, too: where the system tells whose program it is, the account decides.
 */
function foreignConnection(listen: ListenFacts, request: RequestFacts): string | undefined {
  const tokens = (request.headers["connection"] ?? "").split(",").map((token) => token.trim().toLowerCase());
  const foreign = tokens.find((token) => {
    if (token === "upgrade") return !asksToUpgrade(listen, request, tokens);
    if (token === "close") return !isFromClientAccount(listen, request);
    return token !== "" && !DIRECT_CONNECTION.has(token);
  });
  return foreign === undefined ? undefined : `Connection: ${foreign}`;
}

/** Asks the system only about programs on this machine, because others could make it work. */
function isFromClientAccount(listen: ListenFacts, request: RequestFacts): boolean {
  return LOOPBACK_PEERS.has(request.peer() ?? "") && isClientAccount(listen, request.peerOwner() ?? "gone");
}

/** A client asks for a WebSocket only where there is one. For HTTP/2 it names the settings beside the upgrade, which a proxy does not pass on. */
function asksToUpgrade({ socketPaths }: ListenFacts, request: RequestFacts, tokens: string[]): boolean {
  const { method, path, headers } = request;
  if (headers["upgrade"]?.toLowerCase() !== "websocket") return tokens.includes("http2-settings");
  return method === "GET" && socketPaths?.test(path) === true && headers["sec-websocket-key"] !== undefined;
}

export function isApi(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

export function isLoopbackAddress(address: string): boolean {
  return address === "127.0.0.1" || address === "::1" || address === "localhost";
}

/** Reports whether the connection came over loopback, including all of 127/8. Does not identify the sender. */
export function isLoopbackPeer(address: string): boolean {
  return LOOPBACK_PEER.test(address);
}
