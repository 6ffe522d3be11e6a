// Checks at start whether gears would run isolated. Impossible settings are refused before anything is written.

import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { Config } from "../config/schema.ts";
import { DockerCommand } from "./docker-client.ts";

const PROBE_DEADLINE_MS = 5_000;
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** As the docker client says it, in all its versions. */
const SOCKET_SHUT = /permission denied while trying to connect|connect: permission denied/i;
export const DAEMON_SHUT =
  "the container daemon refuses the user of this service: add that user to the group of the daemon's socket, usually docker, " +
  "log in again, and start the service";

/** `loopbackAdmin`: whether local requests, and so a gear's, have the loopback privilege. */
export function notIsolatedWarning(loopbackAdmin: boolean): string {
  const api = loopbackAdmin ? "this API as the loopback admin" : "this API";
  return (
    "gears are not isolated: no container runtime is used, so an approved gear runs with this server's own access: " +
    `the database, the stored provider keys, and ${api}. The approval is the only control`
  );
}

/** `shut`: the user of this service may not use the daemon's socket. Root always may. */
type Daemon = "answers" | "silent" | "shut";

/** Asks the container daemon. Has a deadline, because a hung daemon never answers. */
export async function askDaemon(environment: Environment): Promise<Daemon> {
  const outcome = await new DockerCommand(environment).run(
    ["version", "--format", "{{.Server.Version}}"],
    PROBE_DEADLINE_MS,
  );
  if (outcome.exitCode === 0 && outcome.stdout.trim() !== "") return "answers";
  return SOCKET_SHUT.test(outcome.stderr) ? "shut" : "silent";
}

/** Raises `refused` for impossible combinations. Probes the daemon only if the result decides whether to start. */
export async function refuseImpossibleSwitches(config: Config, environment: Environment): Promise<void> {
  if (config.sandbox === "docker") {
    const daemon = await askDaemon(environment);
    if (daemon === "silent")
      throw new AppError("refused", "sandbox: docker was requested but the daemon does not answer");
    if (daemon === "shut") throw new AppError("refused", `sandbox: docker was requested but ${DAEMON_SHUT}`);
  }
  if (config.egress) await refuseImpossibleEgress(config, environment);
}

async function refuseImpossibleEgress(config: Config, environment: Environment): Promise<void> {
  const daemon = config.sandbox === "auto" ? await askDaemon(environment) : "silent";
  if (daemon === "shut") throw new AppError("refused", `egress is enabled but ${DAEMON_SHUT}`);
  if (config.sandbox !== "docker" && daemon !== "answers") {
    throw new AppError(
      "refused",
      "egress is enabled but gears are not sandboxed: use a container runtime (sandbox: docker, with its daemon running) or set egress: false",
    );
  }
  if (config.egressKey === "") {
    throw new AppError(
      "refused",
      "egress is enabled but there is no credential for the search destination: set egress_key or set egress: false",
    );
  }
  const proxy = PROXY_VARIABLES.find((name) => environment[name]);
  if (proxy) {
    throw new AppError(
      "refused",
      `egress is enabled but ${proxy} is set: searches must reach their destination directly; unset it or set egress: false`,
    );
  }
}
