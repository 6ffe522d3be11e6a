// A context server with the terminal interface over SSH, and OpenSSH's own client at it.

import ssh2 from "ssh2";
import { join } from "node:path";
import { chmod } from "node:fs/promises";
import { locateTool } from "../../../release/system-packages.ts";
import { parsePublicKey } from "../../../src/context/config/public-key.ts";
import { startTerminal } from "../../../src/kit/processes/process.ts";
import { outcomeOf, type Outcome } from "../binaries.ts";
import { within } from "../within.ts";
import { contextServer, type ContextServer, type ContextServerOptions } from "./context-server.ts";
import { Emulator } from "../terminal/emulator.ts";
import { temporaryFolder, type Folder } from "../folder.ts";

export const SSH = locateTool("ssh");

export interface KeyFile {
  readonly path: string;
  readonly public: string;
}

export interface SshOffice extends AsyncDisposable {
  readonly server: ContextServer;
  readonly folder: Folder;
  readonly port: number;
  /** In the list for this user. */
  readonly keys: Readonly<Record<string, KeyFile>>;
  /** Of nobody. */
  readonly strange: KeyFile;
  /** A person at a terminal with the client. */
  connect(user: string, options?: ConnectOptions): Promise<Connected>;
  /** The client without a terminal, to its end. */
  run(user: string, ...args: string[]): Promise<Outcome>;
}

interface Size {
  readonly columns?: number;
  readonly rows?: number;
}

interface ConnectOptions extends Size {
  readonly key?: KeyFile;
  /** Of the client. */
  readonly options?: readonly string[];
}

interface Caller {
  /** Holds the keys of the servers that it knows. */
  readonly folder: Folder;
  readonly port: number;
  readonly user: string;
  readonly key: KeyFile;
  readonly options?: readonly string[];
}

export interface Connected extends AsyncDisposable {
  readonly terminal: Emulator;
  readonly ended: Promise<void>;
  press(keys: string, wanted: string | RegExp): Promise<string>;
  resize(columns: number, rows: number): void;
}

export async function newKey(folder: Folder, name: string): Promise<KeyFile> {
  let made = ssh2.utils.generateKeyPairSync("ed25519", { comment: name });
  // One in 200 is not well formed.
  while (typeof parsePublicKey(made.public) === "string")
    made = ssh2.utils.generateKeyPairSync("ed25519", { comment: name });
  const path = await folder.write(name, made.private);
  await chmod(path, 0o600);
  return { path, public: made.public };
}

export async function sshOffice(
  users: readonly string[],
  options: ContextServerOptions & { readonly ssh?: Record<string, unknown> } = {},
): Promise<SshOffice> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const keys: Record<string, KeyFile> = {};
  for (const user of users) keys[user] = await newKey(folder, `${user}.key`);
  const strange = await newKey(folder, "strange.key");
  const { config, ssh, ...rest } = options;
  const listed = users.map((user) => ({ user, key: keys[user]!.public }));
  const server = stack.use(
    await contextServer({
      ...rest,
      config: { tui: { ssh: { enabled: true, port: 0, keys: listed, ...ssh } }, ...config },
    }),
  );
  const portNow = () =>
    Number(server.log.findLast(({ message }) => message === "terminal interface over SSH")!["port"]);
  const keyOf = (user: string) => keys[user] ?? strange;
  const kept = stack.move();
  return {
    server,
    folder,
    get port() {
      return portNow();
    },
    keys,
    strange,
    connect: async (user, { key = keyOf(user), ...how } = {}) =>
      openSsh({ folder, port: portNow(), user, key, ...how }),
    async run(user, ...args) {
      const child = Bun.spawn([...command({ folder, port: portNow(), user, key: keyOf(user) }), ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: process.env,
      });
      return outcomeOf(`ssh ${args.join(" ")}`, child);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Without the address, so that options may follow. */
function command({ folder, port, user, key, options = [] }: Caller): string[] {
  const known = join(folder.path, "known_hosts");
  return [
    ...`${SSH ?? "ssh"} -F none -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes`.split(" "),
    ...`-o UserKnownHostsFile=${known} -o StrictHostKeyChecking=accept-new -i ${key.path}`.split(" "),
    ...options,
    "-p",
    String(port),
    "-l",
    user,
  ];
}

/** A person at a terminal with the client. */
export function openSsh({ columns = 80, rows = 24, ...caller }: Caller & Size): Connected {
  const terminal = new Emulator(columns, rows);
  const script = 'stty sane; "$0" "$@"; echo "exit=$?"';
  const child = startTerminal(["sh", "-c", script, ...command(caller), "127.0.0.1"], {
    environment: process.env,
    variables: { TERM: "xterm-256color" },
    columns,
    rows,
    output: (chunk) => void terminal.write(chunk),
    drained: () => {},
  })!;
  return {
    terminal,
    get ended() {
      return within(() => `ssh ends; it shows ${terminal.text()}`, child.ended);
    },
    press(typed, wanted) {
      child.write(new TextEncoder().encode(typed));
      return terminal.shows(wanted);
    },
    resize(toColumns, toRows) {
      terminal.resize(toColumns, toRows);
      child.resize(toColumns, toRows);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.ended;
    },
  };
}
