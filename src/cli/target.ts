// Decides what a command acts on: a server by its address, the data directory of a server on this machine, or a space in a folder. Flags come
// first, then the environment, then the server of the last sign-in, then what this machine has in the standard places.

import { serverDirectory } from "../context/config/directory.ts";
import {
  enclosingSpaceDirectory,
  holdsLocalSpace,
  namedSpaceDirectory,
  ownSpaceDirectory,
} from "../context/space/directory.ts";
import type { Environment } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { lastSignIn } from "./credentials.ts";
import { serverUrl } from "./server-url.ts";

export interface ServerFlags {
  readonly server?: string | undefined;
  readonly "server-dir"?: string | undefined;
  readonly "token-file"?: string | undefined;
  readonly local?: boolean | undefined;
}

export interface SpaceFlags extends ServerFlags {
  readonly dir?: string | undefined;
}

export type ServerTarget =
  /** `chosen` false: the server of the last sign-in, which the person did not name now. */
  | { readonly kind: "address"; readonly url: string; readonly chosen: boolean }
  /** `chosen` false: found in a standard place. */
  | { readonly kind: "data"; readonly directory: string; readonly chosen: boolean };

type SpaceTarget = ServerTarget | { readonly kind: "folder"; readonly directory: string };

/** For commands about a server. Raises `invalid` for flags that contradict each other, `not_found` if this machine has no server. */
export function serverTarget(flags: ServerFlags, environment: Environment): ServerTarget {
  return namedServer(flags, environment) ?? signedIn(flags, environment) ?? dataOf(undefined, environment);
}

/** For commands about a space. Raises `invalid` for flags that contradict each other, `not_found` if there is no space. */
export function spaceTarget(flags: SpaceFlags, environment: Environment): SpaceTarget {
  if (flags.dir !== undefined && (flags.server ?? flags["server-dir"]) !== undefined)
    throw contradiction("--dir", flags.server === undefined ? "--server-dir" : "--server");
  const named = flags.dir === undefined ? flagged(flags) : undefined;
  if (named) return named;
  const folder = namedSpaceDirectory(flags.dir, environment);
  if (folder !== undefined) return { kind: "folder", directory: folder };
  const server = namedServer(flags, environment);
  if (server) return server;
  const around = enclosingSpaceDirectory();
  if (around !== undefined) return { kind: "folder", directory: around };
  return signedIn(flags, environment) ?? found(environment);
}

/** The server that the flags name. */
function flagged(flags: ServerFlags): ServerTarget | undefined {
  if (flags.server !== undefined && flags["server-dir"] !== undefined)
    throw contradiction("--server", "--server-dir");
  if (flags.server !== undefined && flags.local === true) throw contradiction("--server", "--local");
  if (flags.server !== undefined) return { kind: "address", url: serverUrl(flags.server), chosen: true };
  const directory = flags["server-dir"];
  return directory === undefined ? undefined : dataOf(directory, {});
}

function namedServer(flags: ServerFlags, environment: Environment): ServerTarget | undefined {
  const named = flagged(flags);
  return named ?? (environment["SERVICE_SERVER_DIR"] ? dataOf(undefined, environment) : undefined);
}

function signedIn({ local }: ServerFlags, environment: Environment): ServerTarget | undefined {
  const url = local === true ? undefined : lastSignIn(environment);
  return url === undefined ? undefined : { kind: "address", url, chosen: false };
}

function dataOf(directory: string | undefined, environment: Environment): ServerTarget {
  const chosen = (directory ?? environment["SERVICE_SERVER_DIR"] ?? "") !== "";
  return { kind: "data", directory: serverDirectory(directory, environment, { remote: true }), chosen };
}

function found(environment: Environment): SpaceTarget {
  const own = ownSpaceDirectory(environment);
  if (holdsLocalSpace(own)) return { kind: "folder", directory: own };
  try {
    return dataOf(undefined, environment);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    throw new AppError(
      "not_found",
      "no space found here; create one with cairn init solo, name its folder with --dir, or sign in to a server with cairn auth login <name> --server <address>",
    );
  }
}

function contradiction(one: string, other: string): AppError {
  return new AppError("invalid", `use ${one} or ${other}, not both`);
}
