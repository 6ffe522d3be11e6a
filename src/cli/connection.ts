// Chooses the server of a command and its credential: `--server`, otherwise the data directory of a local server, running or not. Every command
// uses the same client, so the answers are the same.

import { readFileSync } from "node:fs";
import type { ArgsDef } from "citty";
import { Client, networkTransport, type Transport } from "../context/client/client.ts";
import { serverDirectory } from "../context/config/directory.ts";
import { runningDoor } from "../context/people/local-door.ts";
import { systemClock } from "../kit/clock.ts";
import { processEnvironment } from "../kit/environment.ts";
import { accessProblem } from "../kit/disk.ts";
import { AppError } from "../kit/error.ts";
import { printWarning } from "../kit/output.ts";
import { storedToken } from "./credentials.ts";

/** Most commands take milliseconds. A backup or an adoption can take longer than this. */
const IN_USE_WAIT_MS = 10_000;
const IN_USE_LOOK_EVERY_MS = 50;

/** Flags of commands for a local server. */
export const serverDirArg = {
  "server-dir": {
    type: "string",
    valueHint: "dir",
    description:
      "Data directory of a local server (default: $SERVICE_SERVER_DIR, then the standard directories)",
  },
} as const satisfies ArgsDef;

/** Flags of every command that talks to a server. */
export const connectionArgs = {
  server: { type: "string", valueHint: "url", description: "Address of a remote server" },
  ...serverDirArg,
  "token-file": {
    type: "string",
    valueHint: "file",
    description: "File with the access token for --server",
  },
} as const satisfies ArgsDef;

export interface ConnectionFlags {
  readonly server?: string | undefined;
  readonly "server-dir"?: string | undefined;
  readonly "token-file"?: string | undefined;
}

/** Runs `work` with a client and closes it afterwards, whatever happens. */
export async function connected<T>(flags: ConnectionFlags, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(await transportFor(flags));
  try {
    return await work(client);
  } catch (error) {
    throw inWordsOfFlags(error, flags.server);
  } finally {
    await client.close();
  }
}

/** Rewords an error of the server for people: names the wrong flag, or the command that signs in. */
export function inWordsOfFlags(error: unknown, server: string | undefined): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, details } = error;
  if (details?.["in"] === "query")
    return new AppError(code, `--${details["field"]}: ${details["problem"]}`, details);
  return server === undefined || code !== "unauthenticated" ? error : withSignIn(error, serverUrl(server));
}

function withSignIn({ code, message, details }: AppError, url: string): AppError {
  const remedy = `cairn auth login <name> --server ${url}, or pass a token with --token-file or SERVICE_TOKEN`;
  const credential = details?.["credential"];
  if (credential === "missing") return new AppError(code, `not signed in to ${url}; run ${remedy}`, details);
  return new AppError(code, credential === "invalid" ? `${message}; run ${remedy}` : message, details);
}

async function transportFor(flags: ConnectionFlags): Promise<Transport> {
  if (flags.server !== undefined) {
    if (flags["server-dir"] !== undefined)
      throw new AppError("invalid", "use --server or --server-dir, not both");
    const url = serverUrl(flags.server);
    const file = flags["token-file"];
    return networkTransport(url, file === undefined ? storedToken(url, processEnvironment()) : tokenIn(file));
  }
  return transportTo(serverDirectory(flags["server-dir"], processEnvironment()));
}

/**
 * Connects to the running server, or opens its data, which only one command at a time can do: waits for the other. Raises `conflict` with
 * `details.in_use` if that takes too long.
 */
async function transportTo(directory: string): Promise<Transport> {
  const clock = systemClock;
  const start = clock.elapsed();
  for (let tries = 1; ; tries += 1) {
    const door = await runningDoor(directory);
    if (door) return networkTransport(door.url, door.token);
    const { inProcessTransport } = await import("../context/in-process.ts");
    try {
      return inProcessTransport(directory, {
        format: "text",
        write: (line) => void printWarning(line.trimEnd()),
      });
    } catch (error) {
      const isInUse = error instanceof AppError && error.details?.["in_use"] === true;
      if (!isInUse || clock.elapsed() - start > IN_USE_WAIT_MS) throw error;
    }
    if (tries === 1) await printWarning(`another command is using ${directory}; waiting for it`);
    await Bun.sleep(IN_USE_LOOK_EVERY_MS);
  }
}

/** Raises `invalid`. */
export function serverUrl(text: string): string {
  const url = URL.parse(text);
  if (
    !url ||
    (url.protocol !== "http:" && url.protocol !== "https:") ||
    url.username !== "" ||
    url.search !== ""
  )
    throw new AppError(
      "invalid",
      `--server "${text}": expected an address, for example https://context.example.org`,
    );
  return url.href.replace(/\/+$/, "");
}

function tokenIn(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new AppError("invalid", `--token-file ${path}: ${accessProblem(error)}`);
  }
}
