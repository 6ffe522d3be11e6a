// Nodes of one server, each a process of its own, with a scripted object storage. `await using` kills them and removes their folders.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initServer } from "../../../src/context/init-server.ts";
import { temporaryFolder } from "../folder.ts";
import { ScriptedStorage } from "../object-storage.ts";
import { until } from "../eventually.ts";
import { SPACE } from "./context-server.ts";

const PROGRAM = join(import.meta.dir, "node-process.ts");
/** No server listens there. */
const NOBODY = "http://127.0.0.1:1";
/** A node that stands still does not answer. */
const ANSWER_MS = 1_000;

export interface NodeProcess {
  readonly name: string;
  readonly directory: string;
  readonly url: string;
  leads(): Promise<boolean>;
  /** `blockedMs`: its thread stands still for this long whenever it starts to serve. */
  start(options?: { readonly blockedMs?: number }): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
}

interface NodeProcesses extends AsyncDisposable {
  readonly nodes: readonly NodeProcess[];
  /** Of the admin. */
  readonly token: string;
}

/** The first one has the data, and leads when this resolves. */
export async function nodeProcesses(names: readonly string[]): Promise<NodeProcesses> {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await ScriptedStorage.start());
  const folder = stack.use(await temporaryFolder());
  const { endpoint, bucket, region, credentials } = storage;
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const log = { format: "json" as const, write: () => {} };
  const first = join(folder.path, names[0]!);
  const { token } = await initServer(
    { directory: first, space: SPACE, admin: "root", template: "blank" },
    log,
  );
  const nodes = names.map((name) => {
    const directory = join(folder.path, name);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const replication = { node: name, bucket, endpoint, region, prefix: "team" };
    const config = { rate_limit: { enabled: false }, replication };
    writeFileSync(join(directory, "server.yaml"), Bun.YAML.stringify(config), { mode: 0o600 });
    return nodeProcess(name, directory, env);
  });
  stack.defer(async () => {
    for (const node of nodes) await node.kill();
  });
  const [leader, ...others] = nodes;
  await leader!.start();
  await until(() => leader!.leads());
  for (const node of others) {
    cpSync(join(first, "secrets.key"), join(node.directory, "secrets.key"));
    await node.start();
  }
  const kept = stack.move();
  return { nodes, token, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function nodeProcess(name: string, directory: string, env: NodeJS.ProcessEnv): NodeProcess {
  let child: Bun.Subprocess | undefined;
  let url = NOBODY;
  return {
    name,
    directory,
    get url() {
      return url;
    },
    leads() {
      const signal = AbortSignal.timeout(ANSWER_MS);
      return fetch(`${url}/health`, { signal }).then(
        ({ status }) => status === 200,
        () => false,
      );
    },
    async start({ blockedMs = 0 } = {}) {
      const command = [process.execPath, PROGRAM, directory, "0"];
      const started = Bun.spawn(command, {
        env: { ...env, BLOCKED_MS: String(blockedMs) },
        stdio: ["ignore", "pipe", "inherit"],
      });
      child = started;
      let text = "";
      for await (const piece of started.stdout) {
        text += Buffer.from(piece).toString();
        if (text.includes("\n")) break;
      }
      if (text === "") throw new Error(`node ${name} ended before it listened`);
      url = text.trim();
    },
    signal(signal) {
      child?.kill(signal);
    },
    async kill() {
      child?.kill("SIGKILL");
      await child?.exited;
      url = NOBODY;
    },
  };
}
