// Creates a new server: directory, configuration, first space, first admin. Checks everything before it writes anything, and removes what it
// wrote if a later step fails.

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock, type Clock } from "../kit/clock.ts";
import type { LogOptions } from "../kit/log.ts";
import { createDirectory } from "../kit/disk/create-directory.ts";
import { AppError, messageOf, systemCode } from "../kit/error.ts";
import { PORT_MAX } from "../kit/network/hosts.ts";
import { PRIVATE_DIRECTORY_MODE } from "../kit/disk/modes.ts";
import { parseName } from "../kit/text/names.ts";
import { addressProblem, freePort, portProblem } from "../kit/network/port.ts";
import { replaceFile, replaceFileNow } from "../kit/disk/replace-file.ts";
import { loadServerConfig } from "./config/config.ts";
import { CONFIG_FILE_NAME } from "./config/directory.ts";
import { DEFAULT_ADDRESS, DEFAULT_PORT } from "./config/schema.ts";
import { changeListen } from "./config/editing.ts";
import { openServer } from "./main.ts";
import { localCaller } from "./identity/caller.ts";
import { systemUser } from "./people/local-door.ts";
import { spaceNameProblem } from "./spaces/schema.ts";
import { templateFiles } from "./spaces/templates.ts";

interface InitServer {
  readonly directory: string;
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  readonly space: string;
  readonly admin: string;
  readonly template?: string | undefined;
  /** Accepts a directory with other files. They stay; a file of a server is never replaced. */
  readonly force?: boolean;
}

/** The entries of a server's directory. */
const OWN_NAMES = [
  CONFIG_FILE_NAME,
  "server.db",
  "spaces",
  "audit",
  "auth",
  "logs",
  "run",
  "secrets.key",
  "tls",
  "webhooks",
];

interface NewServer {
  readonly directory: string;
  readonly address: string;
  readonly port: number;
  readonly space: string;
  readonly admin: string;
  /** Valid for 24 hours. */
  readonly token: string;
  readonly token_file: string;
  /** Another program listens there now, and may be gone when the server starts. */
  readonly port_in_use?: true;
}

/**
 * Finishes a setup that was left in the browser or that a crash ended, too; its address stays unless another is given. Raises `conflict` for a directory that is
 * not empty, `invalid` for bad input.
 */
export async function initServer(
  input: InitServer,
  log: Pick<LogOptions, "format" | "write">,
  clock: Clock = systemClock,
): Promise<NewServer> {
  const { directory } = input;
  checkNames(input);
  await checkAddress(input);
  const goesOn = await isLeftUnfinished(directory, log);
  if (!goesOn) checkPlace(input);
  const made = !existsSync(directory);
  const present = made ? [] : readdirSync(directory);
  const others = new Set(present);
  try {
    await (goesOn ? changeAddress(input) : writeConfig(input, present));
    const server = openServer({ directory, log, clock });
    try {
      const { spaces, logins } = server.parts;
      // The admin comes last, because that ends the setup: after a crash before, it can be repeated.
      if (!spaces.names().includes(input.space))
        await spaces.create(localCaller(systemUser()), {
          name: input.space,
          template: input.template ?? "team",
        });
      const tokenFile = join(directory, "auth", "bootstrap_admin.token");
      const { token, user } = logins.bootstrap(input.admin, (issued) => keepToken(tokenFile, issued));
      const { host: address, port } = server.config.listen;
      const isTaken = (await portProblem(address, port)) === "EADDRINUSE";
      const place = { directory, address, port, ...(isTaken && { port_in_use: true as const }) };
      return { ...place, space: input.space, admin: user, token, token_file: tokenFile };
    } finally {
      await server.close();
    }
  } catch (error) {
    if (made && existsSync(directory)) rmSync(directory, { recursive: true, force: true });
    else if (!made)
      for (const name of readdirSync(directory).filter((one) => !others.has(one)))
        rmSync(join(directory, name), { recursive: true, force: true });
    throw error;
  }
}

/** Durable when it returns. Replaces the file of a setup that a crash ended, whose token never became valid. */
function keepToken(path: string, token: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  replaceFileNow(path, `${token}\n`, { isDurable: true });
}

/**
 * Prepares the directory of a server that is set up in the browser: no users, no spaces. A setup that was not finished goes on. Raises `conflict` for
 * a directory that holds anything else, `invalid` for bad input.
 */
export async function prepareServer(
  input: Pick<InitServer, "directory" | "address" | "port" | "force">,
  log: Pick<LogOptions, "format" | "write">,
): Promise<void> {
  const { directory } = input;
  if (await isUnfinished(directory, log)) return;
  checkNames(input);
  await checkAddress(input);
  await checkPort(input);
  checkPlace(input);
  await writeConfig(input, existsSync(directory) ? readdirSync(directory) : []);
}

type Place = Pick<InitServer, "directory" | "address" | "port" | "force">;

/** An empty directory that is there already becomes as private as one that is created; one with other files is its owner's business. */
async function writeConfig(input: Place, present: readonly string[]): Promise<void> {
  const { directory } = input;
  const address = input.address ?? DEFAULT_ADDRESS;
  const port = await portOf(address, input.port ?? DEFAULT_PORT);
  createDirectory(directory);
  if (present.length === 0) chmodSync(directory, PRIVATE_DIRECTORY_MODE);
  const config = `${Bun.YAML.stringify({ listen: { address, port } }, null, 2)}\n`;
  await replaceFile(join(directory, CONFIG_FILE_NAME), config);
}

async function changeAddress({ directory, address, port }: Place): Promise<void> {
  if (address === undefined && port === undefined) return;
  const host = address ?? loadServerConfig(directory).listen.host;
  await changeListen(directory, { address, port: port === undefined ? undefined : await portOf(host, port) });
}

/** A directory that cannot be opened as a server is no setup to finish: `checkPlace` says what is there. */
async function isLeftUnfinished(
  directory: string,
  log: Pick<LogOptions, "format" | "write">,
): Promise<boolean> {
  try {
    return await isUnfinished(directory, log);
  } catch {
    return false;
  }
}

/** A server that has no users yet, because its setup was left. */
async function isUnfinished(directory: string, log: Pick<LogOptions, "format" | "write">): Promise<boolean> {
  if (!existsSync(join(directory, CONFIG_FILE_NAME))) return false;
  const server = openServer({ directory, log });
  try {
    return server.parts.logins.isUnclaimed();
  } finally {
    await server.close();
  }
}

/** 0 is a free port, chosen now and kept, so that clients find the server after its next start. */
async function portOf(address: string, port: number): Promise<number> {
  if (port !== 0) return port;
  try {
    return await freePort(address);
  } catch (error) {
    throw new AppError(
      "invalid",
      `address: cannot listen on ${address} (${systemCode(error) ?? messageOf(error)}); choose another address, or a port`,
    );
  }
}

function checkPlace({ directory, force }: Place): void {
  const present = existsSync(directory) ? readdirSync(directory) : [];
  const own = present.filter((name) => OWN_NAMES.includes(name));
  if (own.length > 0 || (present.length > 0 && force !== true))
    throw new AppError(
      "conflict",
      own.length === 0
        ? `${directory} is not empty; choose another directory, or pass --force to keep its files beside the server's`
        : `${directory} already holds files of a server (${own.join(", ")}); choose another directory`,
    );
}

/** For another machine, a server is created with an address that every machine has, and gets its own there. */
async function checkAddress({ address }: Pick<Place, "address">): Promise<void> {
  const problem = address === undefined ? undefined : await addressProblem(address);
  if (problem !== undefined) throw new AppError("invalid", `address: "${address}" is ${problem}`);
}

/** For a server that starts at once. */
async function checkPort({ address = DEFAULT_ADDRESS, port = DEFAULT_PORT }: Omit<Place, "directory">) {
  if ((await portProblem(address, port)) === "EADDRINUSE")
    throw new AppError("invalid", `port: ${port} is already in use; choose another, or 0 for a free one`);
}

function checkNames(input: Omit<InitServer, "space" | "admin"> & Partial<InitServer>): void {
  const { directory, space, admin, template, port } = input;
  if (existsSync(directory) && !statSync(directory).isDirectory())
    throw new AppError("invalid", `${directory} is not a directory`);
  const wrongName = space === undefined ? undefined : spaceNameProblem(space);
  if (wrongName) throw new AppError("invalid", `space: ${wrongName}`);
  if (admin !== undefined) parseName("admin", admin);
  templateFiles(template ?? "team");
  if (port !== undefined && (!Number.isInteger(port) || port < 0 || port > PORT_MAX))
    throw new AppError("invalid", `port: expected a number from 0 to ${PORT_MAX}`);
}
