// Finds the data directory of a server. Separate from reading it, because commands that only ask a running server need no more.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandText } from "../../kit/terminal/command-text.ts";
import { homeDirectory, requireWholePath, type Environment } from "../../kit/environment.ts";
import { AppError, systemCode } from "../../kit/error.ts";

export const CONFIG_FILE_NAME = "server.yaml";
const STANDARD_PLACES = ["/srv/cairn", "/var/lib/cairn"];

interface Finding {
  /** The command could also ask a server elsewhere. */
  readonly remote?: boolean;
  /** As `process.platform`. */
  readonly system?: string;
}

/**
 * Returns `--server-dir`, the environment's or the first standard place with a server. Raises `not_found`, or `refused` without access. On
 * Windows only the user's own place is a standard one: everybody may create the others.
 */
export function serverDirectory(
  flag: string | undefined,
  environment: Environment,
  { remote = false, system = process.platform }: Finding = {},
): string {
  const given = flag ?? variable(environment);
  const shared = system === "win32" ? [] : STANDARD_PLACES;
  const places = given === undefined ? [...shared, ownPlace(environment)] : [given];
  const states = places.map((place) => ({ path: resolve(place), state: stateOf(resolve(place)) }));
  const found = states.find(({ state }) => state === "server");
  if (found) return found.path;
  const shut = states.find(({ state }) => state === "shut");
  if (shut)
    throw new AppError(
      "refused",
      `${shut.path}: permission denied; run the command as the owner of the directory, or ask its server with --server <address>`,
    );
  throw new AppError(
    "not_found",
    given === undefined
      ? `no server found in ${places.join(", ")}; ${remote ? "sign in to one with cairn auth login <name> --server <address>, " : ""}create one with cairn init server, or name its directory with --server-dir`
      : `no server found in ${resolve(given)} (no ${CONFIG_FILE_NAME}); create one with ${commandText(["cairn", "init", "server", "--data-dir", given])}`,
  );
}

/** Absolute. */
export function secretsKeyPath({ directory, secretsKey }: { directory: string; secretsKey: string }): string {
  return resolve(directory, secretsKey);
}

/** Absolute. */
export function hostKeyPath({ directory, ssh }: { directory: string; ssh: { hostKey: string } }): string {
  return resolve(directory, ssh.hostKey);
}

function stateOf(directory: string): "server" | "shut" | "none" {
  try {
    statSync(join(directory, CONFIG_FILE_NAME));
    return "server";
  } catch (error) {
    return systemCode(error) === "EACCES" ? "shut" : "none";
  }
}

/** Returns where to create a server: the flag, the environment's directory, or the user's own place. */
export function newServerDirectory(flag: string | undefined, environment: Environment): string {
  return resolve(flag ?? variable(environment) ?? ownPlace(environment));
}

function variable(environment: Environment): string | undefined {
  const path = environment["SERVICE_SERVER_DIR"] || undefined;
  if (path !== undefined) requireWholePath("SERVICE_SERVER_DIR", path);
  return path;
}

/** The last standard place, in the user's home directory. */
function ownPlace(environment: Environment): string {
  return join(homeDirectory(environment), ".cairn", "server");
}
