// A service whose terminal is on, with a real container daemon, and a client of its WebSocket that collects what the shell says.

import { chown, mkdir, readdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../src/service/sandbox/sandbox.ts";
import type { TestDocker } from "../docker.ts";
import { temporaryFolder } from "../folder.ts";
import { fetchWithin, textWithin } from "../http/fetch-within.ts";
import { within } from "../within.ts";
import { type ServiceOptions, type World, world } from "./world.ts";

/** Says that gears are isolated, and runs none. */
export const ISOLATED: Sandbox = {
  kind: "docker",
  isolated: true,
  decided: async () => {},
  prepare: () => Promise.resolve(),
  unenforced: [],
  missingImages: () => Promise.resolve([]),
  requireRuntime: () => Promise.resolve(),
  run: () => Promise.reject(new Error("no gear runs here")),
  stop: () => Promise.resolve(),
};

export type TerminalOffice = Awaited<ReturnType<typeof terminalOffice>>;

export async function terminalOffice(docker: TestDocker, options: ServiceOptions = {}) {
  const folder = await temporaryFolder();
  await folder.write("data/config.yaml", `terminal: true\nsandbox_images:\n  bash: ${docker.images.bash}\n`);
  const at = await world({
    model: "silent",
    data: join(folder.path, "data"),
    sandbox: ISOLATED,
    ...options,
    environment: { ...docker.environment, ...options.environment },
    under: [folder],
  });
  return Object.assign(at, { folder: folder.path });
}

/** An account that is not root's: what owns the files where the service is set up as it should be. */
const OWNER = 1000;

/** Gives the workspace's files to an account that is not root, where the tests run as root. */
export async function handOver(at: Pick<World, "data">, workspaceId: number): Promise<void> {
  const folder = join(at.data, "files", String(workspaceId));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (userInfo().uid !== 0) return;
  const inside = await readdir(folder, { recursive: true });
  for (const path of ["", ...inside]) await chown(join(folder, path), OWNER, OWNER);
}

interface TerminalClient {
  readonly socket: WebSocket;
  /** The output of the shell so far. */
  text(): string;
  type(text: string): void;
  resize(cols: number, rows: number): void;
  /** Resolves when the shell has said it. */
  says(pattern: RegExp): Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** Resolves when the connection is a WebSocket; rejects when it is refused. */
export async function connectTerminal(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<TerminalClient> {
  const status = await fetchWithin(`${url}/api/v1/terminal/status`);
  const { ticket } = JSON.parse(await textWithin(status)) as { ticket: string };
  const address = `${url.replace("http", "ws")}/api/v1${path}?ticket=${ticket}`;
  const socket = new WebSocket(address, { headers } as never);
  socket.binaryType = "arraybuffer";
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let text = "";
  let look = () => {};
  const decoder = new TextDecoder();
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("error", () => opened.reject(new Error("refused")));
  socket.addEventListener("close", ({ code, reason }) => {
    opened.reject(new Error("refused"));
    closed.resolve({ code, reason });
    look();
  });
  socket.addEventListener("message", ({ data }) => {
    text += decoder.decode(data as ArrayBuffer, { stream: true });
    look();
  });
  await within(`the WebSocket of ${path} opens`, opened.promise);
  return {
    socket,
    text: () => text,
    type: (typed) => socket.send(new TextEncoder().encode(typed)),
    resize: (cols, rows) => socket.send(JSON.stringify({ type: "resize", cols, rows })),
    says(pattern) {
      const said = Promise.withResolvers<void>();
      look = () => {
        if (pattern.test(text)) said.resolve();
        else if (socket.readyState === WebSocket.CLOSED)
          said.reject(new Error(`it ended without saying ${pattern}: ${text}`));
      };
      look();
      return within(() => `the terminal says ${pattern}; it said: ${text}`, said.promise);
    },
    get closed() {
      return within(() => `the terminal is closed; it said: ${text}`, closed.promise);
    },
  };
}
