// Opens what a command acts on (target.ts): a client of a server, or a space. A server on this machine answers if it runs; otherwise its data is
// opened in this process and gives the same answers.

import { Client, networkTransport, type Transport } from "../context/client/client.ts";
import {
  enclosingSpaceDirectory,
  namedSpaceDirectory,
  ownSpaceDirectory,
} from "../context/space/directory.ts";
import type { SpaceDoor } from "../context/space/door.ts";
import { STARTING } from "../context/client/server-health.ts";
import { doorState, systemUser } from "../context/people/local-door.ts";
import { systemClock } from "../kit/clock.ts";
import { accessTokenIn, TOKEN_EXPECTED } from "../kit/secrets/access-token.ts";
import { accessProblem } from "../kit/disk/disk.ts";
import { readNamedFile } from "../kit/disk/regular-file.ts";
import { commandText } from "../kit/terminal/command-text.ts";
import { processEnvironment, temporaryDirectory, type Environment } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { openWhenFree } from "../kit/disk/in-use.ts";
import { createLog, type Log } from "../kit/log.ts";
import { formatOf, printWarning } from "../kit/terminal/output.ts";
import { otherServerOfToken, savedToken, storedToken } from "./credentials.ts";
import { doorTransport } from "./door-transport.ts";
import { withMeantPath } from "./meant-path.ts";
import { patiently } from "./retrying-client.ts";
import { chosenSpace } from "./space-choice.ts";
import { serverTarget, spaceTarget, type ServerFlags, type ServerTarget, type SpaceFlags } from "./target.ts";

export { connectionArgs, dirArg, serverDirArg, spaceArgs } from "./connection-args.ts";

/** The flags as parsed, with the global ones. */
type Given = Readonly<Record<string, unknown>>;
export type ConnectionFlags = ServerFlags & Given;
export type SpaceCommandFlags = SpaceFlags & Given & { readonly space?: string | undefined };

/** Runs `work` with a client and closes it afterwards, whatever happens. `user`: whose saved token it sends, instead of the current user's. */
export function connected<T>(
  flags: ConnectionFlags,
  work: (client: Client) => Promise<T>,
  user?: string,
): Promise<T> {
  return connectedTo(serverTarget(flags, processEnvironment()), flags, work, user);
}

async function connectedTo<T>(
  target: ServerTarget,
  flags: ConnectionFlags,
  work: (client: Client) => Promise<T>,
  user?: string,
): Promise<T> {
  const client = patiently(new Client(await transportFor(target, flags, user)));
  const isText = formatOf(flags) === "text";
  try {
    if (isText) await tellServer(target);
    const answer = await work(client);
    // After it, because an error is data as well, alone on stderr.
    if (!isText) await tellServer(target);
    return answer;
  } catch (error) {
    const url = target.kind === "address" ? target.url : undefined;
    throw withServer(inWordsOfFlags(error, url, { user, given: flags }), target);
  } finally {
    await client.close();
  }
}

/** Opens the space that the flags mean, and closes it after `act`, whatever happens. `path`: the file that `act` is about. */
export async function withSpace<T>(
  flags: SpaceCommandFlags & { readonly path?: unknown },
  act: (space: SpaceDoor) => Promise<T>,
): Promise<T> {
  const work = (space: SpaceDoor) => withMeantPath(space, flags, act);
  const target = spaceTarget(flags, processEnvironment());
  if (target.kind !== "folder")
    return connectedTo(target, flags, async (client) => {
      const { RemoteSpace } = await import("../context/space/remote.ts");
      return work(new RemoteSpace(client, await chosenSpace(client, flags.space)));
    });
  const space = await requireName(await openFolder(target.directory), flags.space);
  try {
    return await work(space);
  } finally {
    await space.close();
  }
}

/** Returns the folder of the local space that the flag names, or the one around, or the person's own. */
export function localDirectory(dir: string | undefined): string {
  const environment = processEnvironment();
  const named = namedSpaceDirectory(dir, environment);
  return named ?? enclosingSpaceDirectory() ?? ownSpaceDirectory(environment);
}

/** Opens that space and closes it after `work`. */
export async function withLocalSpace<T>(
  dir: string | undefined,
  work: (space: SpaceDoor) => Promise<T>,
): Promise<T> {
  const space = await openFolder(localDirectory(dir));
  try {
    return await work(space);
  } finally {
    await space.close();
  }
}

/**
 * Opens the same space for a program that runs for long, which closes it: the server of the last sign-in goes unmentioned, and what there is to
 * say goes to its log.
 */
export async function openSpace(flags: SpaceCommandFlags, log: Log): Promise<SpaceDoor> {
  const target = spaceTarget(flags, processEnvironment());
  if (target.kind === "folder") {
    const { openLocalSpace } = await import("../context/space/local.ts");
    const space = await openLocalSpace(target.directory, { ...localDeps(target.directory), log });
    return requireName(space, flags.space);
  }
  const client = new Client(await transportFor(target, flags));
  try {
    const { RemoteSpace } = await import("../context/space/remote.ts");
    return new RemoteSpace(client, await chosenSpace(client, flags.space));
  } catch (error) {
    await client.close();
    throw inWordsOfFlags(error, target.kind === "address" ? target.url : undefined, { given: flags });
  }
}

/** Raises `not_found` for a folder with a space of another name, and closes it. */
async function requireName(space: SpaceDoor, name: string | undefined): Promise<SpaceDoor> {
  if (name === undefined || name === space.name) return space;
  await space.close();
  throw new AppError("not_found", `the space in ${space.place} is ${space.name}, not ${name}`);
}

async function openFolder(directory: string): Promise<SpaceDoor> {
  const { openLocalSpace } = await import("../context/space/local.ts");
  return openLocalSpace(directory, localDeps(directory));
}

/** The dependencies that a command passes to a space on this machine. */
export function localDeps(directory: string) {
  return {
    clock: systemClock,
    log: commandLog(),
    person: systemUser(),
    scratch: temporaryDirectory(processEnvironment()),
    onWait: () => printWarning(`another command is using ${directory}; waiting for it`),
  };
}

/** Says what a space logs in sentences, since people read it beside the answer; once, however often a command opens the space. */
function commandLog(): Log {
  const said = new Set<string>();
  const write = (line: string) => {
    const warning = warningOf(line);
    if (!said.has(warning)) void printWarning(warning);
    said.add(warning);
  };
  return createLog({ level: "warn", format: "json", clock: systemClock, write });
}

function warningOf(line: string): string {
  const { time: _time, level: _level, message, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const named = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`);
  return `warning: ${String(message)}${named.length > 0 ? ` (${named.join(", ")})` : ""}`;
}

/** The person did not name this server now, so each answer says where it comes from: on stderr, since the data is the same from everywhere. */
export async function tellServer(target: ServerTarget): Promise<void> {
  if (!target.chosen) await printWarning(`server: ${placeOf(target)}`);
}

/** The same for an error, whose data says it. */
function withServer(error: unknown, target: ServerTarget): unknown {
  if (!(error instanceof AppError) || target.chosen) return error;
  return new AppError(error.code, error.message, { ...error.details, server: placeOf(target) });
}

function placeOf(target: ServerTarget): string {
  return target.kind === "address" ? target.url : target.directory;
}

interface Wording {
  /** The person who has to sign in; undefined: anybody. */
  readonly user?: string | undefined;
  /** The flags of the command. */
  readonly given?: Given;
  /** Only tests replace it. */
  readonly environment?: Environment;
}

/** Rewords an error of the server for people: names the wrong flag, or the command that signs in. */
export function inWordsOfFlags(
  error: unknown,
  server: string | undefined,
  { user, given = {}, environment = processEnvironment() }: Wording = {},
): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, details } = error;
  if (details?.["in"] === "query") {
    const flag = String(details["field"]);
    const value = given[flag];
    const shown = typeof value === "string" ? ` ${JSON.stringify(value)}` : "";
    return new AppError(code, `--${flag}${shown}: ${details["problem"]}`, details);
  }
  if (server === undefined) return error;
  if (code === "unauthenticated") return withSignIn(error, server, { user, environment });
  return code === "not_found" ? withoutPath(error, new URL(server)) : error;
}

/** A proxy may serve a server at a path; more often, the address of one of its pages was copied. */
function withoutPath(error: AppError, { href, pathname, origin }: URL): AppError {
  if (pathname === "/") return error;
  return new AppError(
    error.code,
    `${error.message}; ${href} has a path: if the server has none, pass --server ${origin}`,
    error.details,
  );
}

function withSignIn(
  { code, message, details }: AppError,
  url: string,
  { user, environment }: Pick<Wording, "user"> & { readonly environment: Environment },
): AppError {
  const whose = user === undefined ? "a token" : `a token of ${user}`;
  const remedy = `${loginCommand(url, user)}, or pass ${whose} with --token-file or SERVICE_TOKEN`;
  const credential = details?.["credential"];
  const as = user === undefined ? "" : ` as ${user}`;
  if (credential === "missing") {
    const other = otherServerOfToken(url, environment);
    const unsent = other === undefined ? "" : `; SERVICE_TOKEN_SERVER sends SERVICE_TOKEN to ${other} only`;
    return new AppError(code, `not signed in to ${url}${as}; run ${remedy}${unsent}`, details);
  }
  return new AppError(code, credential === "invalid" ? `${message}; run ${remedy}` : message, details);
}

/** The command that signs in. */
export function loginCommand(url: string, user: string | undefined): string {
  return `cairn auth login ${user === undefined ? "<name>" : commandText([user])} --server ${url}`;
}

async function transportFor(target: ServerTarget, flags: ServerFlags, user?: string): Promise<Transport> {
  if (target.kind === "data") return transportTo(target.directory);
  return networkTransport(target.url, tokenToSend(target.url, flags, user));
}

/** Returns the token that a request to the server carries. `user`: their saved one. Raises `invalid`. */
export function tokenToSend(url: string, flags: ServerFlags, user?: string): string | undefined {
  const environment = processEnvironment();
  const file = flags["token-file"];
  if (file !== undefined) return tokenIn(file);
  return user === undefined ? storedToken(url, environment) : savedToken(url, environment, user);
}

/** Connects to the running server, or opens its data, which takes one command at a time. Raises as `openWhenFree`. */
function transportTo(directory: string): Promise<Transport> {
  const open = async () => {
    const state = await doorState(directory);
    if (state.kind === "running") return doorTransport(directory, state.door);
    if (state.kind === "starting") throw stillStarting(directory);
    const { inProcessTransport } = await import("../context/in-process.ts");
    const write = (line: string) => void printWarning(line.trimEnd());
    return inProcessTransport(directory, { format: "text", write });
  };
  return openWhenFree(open, systemClock, ({ details }) =>
    printWarning(
      details?.["reason"] === STARTING
        ? `the server in ${directory} is starting; waiting for it`
        : `another command is using ${directory}; waiting for it`,
    ),
  );
}

function stillStarting(directory: string): AppError {
  const details = { in_use: true, reason: STARTING };
  return new AppError("conflict", `the server in ${directory} is still starting; try again shortly`, details);
}

/** Returns the token in the file of `--token-file`. Raises `invalid`. */
export function tokenIn(path: string): string {
  const token = accessTokenIn(textIn(path));
  if (token === undefined) throw new AppError("invalid", `--token-file ${path}: ${TOKEN_EXPECTED}`);
  return token;
}

function textIn(path: string): string {
  try {
    return readNamedFile(path).toString("utf8");
  } catch (error) {
    throw new AppError("invalid", `--token-file ${path}: ${accessProblem(error)}`);
  }
}
