// Stores the tokens of people on servers in a private file. A server has one token for each user, because a folder that syncs uses the token of its
// own user. All other commands use the token of the server's current user. SERVICE_TOKEN overrides both, for machines, but goes to no server that
// only a folder names: somebody else may have made the folder.

import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { accessTokenIn, TOKEN_EXPECTED } from "../kit/secrets/access-token.ts";
import { homeDirectory, type Environment } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { nameKey } from "../kit/text/names.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../kit/disk/modes.ts";
import { accessProblem, isUnwritable } from "../kit/disk/disk.ts";
import { readRegularFile } from "../kit/disk/regular-file.ts";
import { replaceFile } from "../kit/disk/replace-file.ts";
import { serverUrl } from "./server-url.ts";

interface SavedToken {
  readonly user: string;
  readonly token: string;
}

interface SavedServer {
  readonly users: readonly SavedToken[];
  /** The user of commands without a folder that syncs; absent: nobody. */
  readonly current?: string;
  /** The server of commands that name none. */
  readonly last?: boolean;
}

/** By address. */
type Saved = Record<string, SavedServer>;

/** An entry of a file from before there were several users. */
interface SingleUser extends SavedToken {
  readonly last?: boolean;
}

/**
 * Returns SERVICE_TOKEN, or the saved token: of `user`, or of the current one. The person named the server. Raises `invalid` for a variable without
 * a token, or with another server than an address.
 */
export function storedToken(url: string, environment: Environment, user?: string): string | undefined {
  return variableToken(url, environment) ?? savedToken(url, environment, user);
}

/** Returns SERVICE_TOKEN; undefined if it is not set, or is for another server. Raises `invalid`. */
export function variableToken(url: string, environment: Environment): string | undefined {
  const text = environment["SERVICE_TOKEN"];
  if (!text) return undefined;
  const token = accessTokenIn(text);
  if (token === undefined) throw new AppError("invalid", `SERVICE_TOKEN: ${TOKEN_EXPECTED}`);
  const server = variableServer(environment);
  return server === undefined || server === url ? token : undefined;
}

/**
 * As `variableToken`, for a server that a folder names. Raises `refused` if the person neither signed in there, nor joined a folder with it, nor named
 * it beside the token.
 */
export function variableTokenOfFolder(url: string, environment: Environment): string | undefined {
  const token = variableToken(url, environment);
  if (token === undefined || variableServer(environment) === url) return token;
  if (read(environment)[url] !== undefined) return token;
  throw new AppError(
    "refused",
    `SERVICE_TOKEN is not sent to ${url}, which only this folder names; if you trust that server with it, set SERVICE_TOKEN_SERVER=${url}, or pass the token with --token-file`,
    { server: url },
  );
}

/** Returns the only server that gets SERVICE_TOKEN, if it is set and `url` is another. Raises `invalid`. */
export function otherServerOfToken(url: string, environment: Environment): string | undefined {
  const server = environment["SERVICE_TOKEN"] ? variableServer(environment) : undefined;
  return server === url ? undefined : server;
}

function variableServer(environment: Environment): string | undefined {
  const text = environment["SERVICE_TOKEN_SERVER"];
  return text ? serverUrl(text, "SERVICE_TOKEN_SERVER") : undefined;
}

/** Returns the saved token of `user`, or of the current one. */
export function savedToken(url: string, environment: Environment, user?: string): string | undefined {
  const server = read(environment)[url];
  const wanted = user ?? server?.current;
  return wanted === undefined ? undefined : server?.users.find((one) => isSameName(one.user, wanted))?.token;
}

/** The server of the last sign-in that was not ended since. */
export function lastSignIn(environment: Environment): string | undefined {
  return Object.entries(read(environment)).find(([, { last }]) => last === true)?.[0];
}

/** Saves the token of a sign-in. Its user becomes the current one of the server, and the server that of commands that name none. */
export async function saveSignIn(url: string, saved: SavedToken, environment: Environment): Promise<void> {
  const before = read(environment);
  const others = Object.entries(before).map(([address, server]) => [address, { ...server, last: false }]);
  const server = { ...withToken(before[url], saved), last: true };
  await write({ ...Object.fromEntries(others), [url]: server }, environment);
}

/** Saves the token of a folder's user, who becomes the current one only of a server that has none. */
export async function saveToken(url: string, saved: SavedToken, environment: Environment): Promise<void> {
  const servers = read(environment);
  const before = servers[url];
  const server = withToken(before, saved);
  await write({ ...servers, [url]: { ...server, current: before?.current ?? saved.user } }, environment);
}

/** Records that the person named the server, without a token. Does nothing if the file cannot be written. */
export async function saveServer(url: string, environment: Environment): Promise<void> {
  const servers = read(environment);
  if (servers[url] !== undefined) return;
  try {
    await write({ ...servers, [url]: { users: [] } }, environment);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/**
 * Deletes a token. If it was the current user's, the server has no current user afterwards: nobody takes their place unasked. The server stays one
 * that the person named.
 */
export async function forgetToken(url: string, token: string, environment: Environment): Promise<void> {
  const servers = read(environment);
  const server = servers[url];
  if (server === undefined) return;
  const users = server.users.filter((one) => one.token !== token);
  const isCurrentLeft = users.some(({ user }) => isSameName(user, server.current ?? ""));
  const left: SavedServer = isCurrentLeft ? { ...server, users } : { users };
  await write({ ...servers, [url]: left }, environment);
}

function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other);
}

function withToken(server: SavedServer | undefined, saved: SavedToken): SavedServer {
  const others = server?.users.filter(({ user }) => !isSameName(user, saved.user)) ?? [];
  return { ...server, users: [...others, saved], current: saved.user };
}

async function write(servers: Saved, environment: Environment): Promise<void> {
  const path = pathOf(environment);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    await replaceFile(path, JSON.stringify(servers, null, 2), { mode: PRIVATE_FILE_MODE });
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    throw new AppError(
      "refused",
      `cannot save the token in ${path}: ${accessProblem(error)}; give yourself access, or pass the token to each command with --token-file, or SERVICE_TOKEN beside SERVICE_TOKEN_SERVER`,
    );
  }
}

function read(environment: Environment): Saved {
  const path = pathOf(environment);
  if (!existsSync(path)) return {};
  chmodSync(path, PRIVATE_FILE_MODE);
  try {
    const stored = JSON.parse(readRegularFile(path).toString("utf8")) as Record<
      string,
      SavedServer | SingleUser
    >;
    return Object.fromEntries(Object.entries(stored).map(([url, entry]) => [url, serverOf(entry)]));
  } catch {
    throw new AppError(
      "invalid",
      `${path} is damaged; delete it and sign in again with cairn auth login <name> --server <address>`,
    );
  }
}

/** Throws for anything else. */
function serverOf(entry: SavedServer | SingleUser): SavedServer {
  if ("users" in entry) return { ...entry, users: entry.users.map(tokenOf) };
  const { user, token, ...rest } = entry;
  return { users: [tokenOf({ user, token })], current: user, ...rest };
}

function tokenOf({ user, token }: SavedToken): SavedToken {
  if (typeof user !== "string" || typeof token !== "string") throw new TypeError("not a saved token");
  return { user, token };
}

function pathOf(environment: Environment): string {
  return join(homeDirectory(environment), ".cairn", "credentials.json");
}
