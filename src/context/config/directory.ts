// Finds the data directory of a server. Kept apart from reading it: commands that only ask a running server need no more than this.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { homeDirectory, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";

export const CONFIG_FILE_NAME = "server.yaml";
const STANDARD_PLACES = ["/srv/cairn", "/var/lib/cairn"];

/** `--server-dir`, the environment, then the first standard place that holds a server. Raises `not_found`. */
export function serverDirectory(flag: string | undefined, environment: Environment): string {
  const given = flag ?? (environment["SERVICE_SERVER_DIR"] || undefined);
  const places = given === undefined ? [...STANDARD_PLACES, ownPlace(environment)] : [given];
  const found = places
    .map((place) => resolve(place))
    .find((place) => existsSync(join(place, CONFIG_FILE_NAME)));
  if (found !== undefined) return found;
  throw new AppError(
    "not_found",
    given === undefined
      ? `no server found in ${places.join(", ")}; make one with cairn init server, or name its directory with --server-dir`
      : `${resolve(given)}: no server there (no ${CONFIG_FILE_NAME}); make one with cairn init server --data-dir ${given}`,
  );
}

/** The last of the standard places: this person's own. */
export function ownPlace(environment: Environment): string {
  return join(homeDirectory(environment), ".cairn", "server");
}
