// Nodes of one server, each in a directory and with a listener of its own, with a scripted object storage between them. `await using` stops them all.

import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initServer } from "../../../src/context/init-server.ts";
import { startReplicated, type ReplicatedServer } from "../../../src/context/replicated-server.ts";
import type { Timers } from "../../../src/kit/clock.ts";
import type { Timing } from "../../../src/kit/replication/beat.ts";
import { until } from "../eventually.ts";
import { temporaryFolder } from "../folder.ts";
import type { LogLine } from "../log-reader.ts";
import { ScriptedStorage } from "../object-storage.ts";
import { contextClient, SPACE, type ContextClient } from "./context-server.ts";

/** Short, so that tests do not wait, and long enough for a busy machine. */
const TIMING: Timing = { beatEvery: 100, leaseMs: 4_000, takeoverAfter: 6_000, lookEvery: 50 };

interface Node {
  readonly name: string;
  readonly directory: string;
  readonly log: readonly LogLine[];
  readonly url: string;
  readonly isLeading: boolean;
  readonly failed: Promise<never>;
  /** The admin of the server, at this node. */
  readonly admin: ContextClient;
  as(token: string): ContextClient;
  health(): Promise<[status: number, text: string]>;
  leads(): Promise<void>;
  stop(): Promise<void>;
}

interface Nodes extends AsyncDisposable {
  /** Of the admin. */
  readonly token: string;
  readonly storage: ScriptedStorage;
  /** Starts a node. The first one of this name, if it is the first of all, has the data of a new server. */
  start(name: string): Promise<Node>;
  directoryOf(name: string): string;
}

interface NodesOptions {
  readonly prefix?: string;
  readonly timing?: Timing;
  readonly timers?: Timers;
  /** Laid over `server.yaml`. */
  readonly config?: Record<string, unknown>;
}

export async function nodes({
  prefix = "team",
  timing = TIMING,
  timers,
  config: more = {},
}: NodesOptions = {}): Promise<Nodes> {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await ScriptedStorage.start());
  const folder = stack.use(await temporaryFolder());
  const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = storage.credentials;
  const environment = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  const directoryOf = (name: string) => join(folder.path, name);
  const { endpoint, bucket, region } = storage;
  let token = "";
  let first: string | undefined;
  const prepare = async (name: string) => {
    const directory = directoryOf(name);
    if (existsSync(directory)) return;
    if (first === undefined) {
      const log = { format: "json" as const, write: () => {} };
      token = (await initServer({ directory, space: SPACE, admin: "root", template: "blank" }, log)).token;
      first = directory;
    } else {
      mkdirSync(directory, { mode: 0o700 });
      if (existsSync(join(first, "secrets.key")))
        cpSync(join(first, "secrets.key"), join(directory, "secrets.key"));
    }
    const replication = { node: name, bucket, endpoint, region, prefix };
    const config = { rate_limit: { enabled: false }, replication, ...more };
    writeFileSync(join(directory, "server.yaml"), Bun.YAML.stringify(config), { mode: 0o600 });
  };
  const start = async (name: string): Promise<Node> => {
    await prepare(name);
    const directory = directoryOf(name);
    const lines: LogLine[] = [];
    const log = {
      format: "json" as const,
      write: (line: string) => void lines.push(JSON.parse(line) as LogLine),
    };
    const options = { directory, log, port: 0, environment, timing, ...(timers && { timers }) };
    const server: ReplicatedServer = await startReplicated(options);
    server.failed.catch(() => {});
    kept.defer(() => server.stop("test is over").catch(() => {}));
    const as = (with_: string) => contextClient(server.url, with_);
    return {
      name,
      directory,
      log: lines,
      get url() {
        return server.url;
      },
      get isLeading() {
        return server.isLeading;
      },
      failed: server.failed,
      get admin() {
        return as(token);
      },
      as,
      async health() {
        const response = await fetch(`${server.url}/health`);
        return [response.status, ((await response.json()) as { status: string }).status];
      },
      async leads() {
        await until(() => server.isLeading);
      },
      stop: () => server.stop("a test stops it"),
    };
  };
  const kept = stack.move();
  return {
    get token() {
      return token;
    },
    storage,
    start,
    directoryOf,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
