// Starts the context server for a test: the same `main` as the binary's, on a port of the system's choice, in a fresh directory that
// `initServer` made. Clients speak real HTTP. `await using` stops it and removes the directory.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { initServer } from "../../../src/context/init-server.ts";
import { startServer, type OpenOptions, type RunningServer } from "../../../src/context/main.ts";
import type { AclRule, Capability, Role } from "../../../src/context/access/schema.ts";
import type { AuditRecord, AuditVerification } from "../../../src/context/audit/schema.ts";
import { HealthState } from "../../../src/kit/health.ts";
import type { ContextRoutes } from "../http/answers.ts";
import { createClient, type Client } from "../http/client.ts";
import { fetchWithin, textWithin } from "../http/fetch-within.ts";
import { temporaryFolder } from "../folder.ts";
import { keptPort } from "../kept-port.ts";
import type { LogLine } from "../log-reader.ts";

export const SPACE = "team";

export interface ContextClient extends Client<ContextRoutes> {
  readonly token: string;
  /** Raises unless it was taken. */
  write(path: string, content: string | Uint8Array, headers?: Record<string, string>): Promise<WrittenFile>;
  /** A file's text; raises when it is not there. */
  read(path: string, query?: string): Promise<string>;
}

export interface WrittenFile {
  readonly path: string;
  readonly version: number;
  readonly hash: string;
  readonly size: number;
  readonly head: string;
  readonly created: boolean;
}

export interface ContextServerOptions extends Pick<
  OpenOptions,
  "acme" | "clock" | "outbound" | "sshLimits" | "timers"
> {
  /** Laid over `server.yaml`; rate limits are off unless it says otherwise. */
  readonly config?: Record<string, unknown>;
  /** Of the first space; `blank` unless said. */
  readonly template?: "team" | "blank";
  /** Created, with these roles in every space, before the files. */
  readonly people?: Readonly<Record<string, Role>>;
  /** Written by the admin, one after the other. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Restarts listen where the server listened before. */
  readonly samePort?: boolean;
  /** The directory of the server; given: it is not removed. */
  readonly directory?: string;
}

export interface ContextServer extends AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  /** The bootstrap token that set-up printed. */
  readonly bootstrap: string;
  readonly log: readonly LogLine[];
  readonly admin: ContextClient;
  as(token: string): ContextClient;
  anonymous(): Client<ContextRoutes>;
  /** A new user with the role in every space, or in those that are named. */
  user(name: string, role: Role, spaces?: readonly string[]): Promise<ContextClient>;
  /** In place of those that the user had. */
  rules(user: string, ...rules: AclRule[]): Promise<unknown>;
  audit(query?: string): Promise<AuditRecord[]>;
  verifyAudit(): Promise<AuditVerification>;
  /** Its status, and each problem with its reason. */
  health(): Promise<[status: number, problems: string[]]>;
  /** A place in the working tree of the space. */
  inSpace(...names: string[]): string;
  stop(): Promise<void>;
  /** Stops it, does something to its files, and starts it again. Clients made before go to the old address, unless `samePort` is set. */
  restart(between?: (directory: string) => unknown): Promise<void>;
}

export async function contextServer(options: ContextServerOptions = {}): Promise<ContextServer> {
  const {
    config,
    template = "blank",
    people = {},
    files = {},
    samePort,
    directory: given,
    ...seams
  } = options;
  await using stack = new AsyncDisposableStack();
  const directory = given ?? join(stack.use(await temporaryFolder()).path, "server");
  const lines: LogLine[] = [];
  const log = {
    format: "json" as const,
    write: (line: string) => void lines.push(JSON.parse(line) as LogLine),
  };
  const made = await initServer({ directory, space: SPACE, admin: "root", template }, log, seams.clock);
  configure(directory, { rate_limit: { enabled: false }, ...config });
  const start = (port: number) => startServer({ directory, log, port, ...seams });
  let running: RunningServer = await start(samePort ? await keptPort() : 0);
  const as = (token: string) => contextClient(running.url, token);
  const portAgain = () => (samePort ? Number(new URL(running.url).port) : 0);
  const server: ContextServer = {
    get url() {
      return running.url;
    },
    directory,
    bootstrap: made.token,
    log: lines,
    get admin() {
      return as(made.token);
    },
    as,
    anonymous: () => createClient<ContextRoutes>(running.url),
    rules: (user, ...rules) => server.admin.put(`/users/${user}/acl`, { rules }),
    audit: (query = "") => server.admin.get(`/audit?${query}`),
    verifyAudit: () => server.admin.get("/audit/verify"),
    async health() {
      const response = await fetchWithin(`${running.url}/health`);
      const state: unknown = JSON.parse(await textWithin(response));
      if (!Value.Check(HealthState, state)) throw new Error(`no state of health: ${JSON.stringify(state)}`);
      return [response.status, state.problems.map(({ what, reason }) => `${what} ${reason}`)];
    },
    inSpace: (...names) => join(directory, "spaces", SPACE, ...names),
    async user(name, role, spaces) {
      const body = { name, role, ...(spaces ? { spaces } : {}) };
      const { token } = await server.admin.post("/users", body);
      return as(token);
    },
    stop: () => running.stop("a test stops it"),
    async restart(between = () => {}) {
      const port = portAgain();
      await running.stop("a test restarts it");
      await between(directory);
      running = await start(port);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  stack.defer(() => running.stop("test is over"));
  for (const [name, role] of Object.entries(people)) await server.user(name, role);
  for (const [path, content] of Object.entries(files)) await server.admin.write(path, content);
  const kept = stack.move();
  return server;
}

/** A rule that denies; `path` is within the space. */
export function deny(path: string, ...capabilities: Capability[]): AclRule {
  return { effect: "deny", path: `${SPACE}/${path}`, capabilities };
}

/** Lays keys over the configuration of a server that does not run. */
export function configure(directory: string, keys: Record<string, unknown>): void {
  const path = join(directory, "server.yaml");
  const present = Bun.YAML.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  writeFileSync(path, Bun.YAML.stringify({ ...present, ...keys }, null, 2));
}

export function contextClient(url: string, token: string): ContextClient {
  const client = createClient<ContextRoutes>(url, token);
  const place = (path: string) => `${url}/api/v1${filePath(path)}`;
  const authorization = { Authorization: `Bearer ${token}` };
  return {
    ...client,
    token,
    async write(path, content, headers = {}) {
      const init = { method: "PUT", headers: { ...authorization, ...headers }, body: content as string };
      const response = await fetchWithin(place(path), init);
      if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await textWithin(response)}`);
      return JSON.parse(await textWithin(response)) as WrittenFile;
    },
    async read(path, query = "") {
      const response = await fetchWithin(place(path) + query, { headers: authorization });
      if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await textWithin(response)}`);
      return textWithin(response);
    },
  };
}

/** Below `/api/v1`; segments encoded one by one. */
export function filePath<const Kind extends string = "files">(
  path: string,
  kind = "files" as Kind,
  space: string = SPACE,
): `/spaces/${string}/${Kind}/${string}` {
  return `/spaces/${space}/${kind}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** A PUT of raw bytes as it is answered, whatever that is. */
export function put(
  client: ContextClient,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  return client.raw("PUT", filePath(path), {
    body: typeof body === "string" ? body : new TextDecoder("latin1").decode(body),
    headers: { "Content-Type": "application/octet-stream", ...headers },
  });
}
