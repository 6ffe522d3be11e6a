// Checks at start whether gears would run isolated. Impossible settings are refused before anything is written.

import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Config } from "../config/schema.ts";
import { DockerCommand, reasonOf } from "./docker-client.ts";

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

/**
 * `shut`: the user of this service may not use the daemon's socket. Root always may. `unfit`: the client and the daemon do not work together, for
 * example because one is too old for the other, or the client's settings are wrong. `reason`: docker's own words.
 */
interface Daemon {
  readonly state: "answers" | "shut" | "silent" | "unfit";
  readonly reason: string;
}

/** As the docker client says it: the daemon has answered, or the client has not even tried. */
const UNFIT = /error response from daemon|failed to initialize|unable to resolve docker endpoint/i;

/** Asks the container daemon. Has a deadline, because a hung daemon never answers. */
export async function askDaemon(environment: Environment): Promise<Daemon> {
  const outcome = await new DockerCommand(environment).run(
    ["version", "--format", "{{.Server.Version}}"],
    PROBE_DEADLINE_MS,
  );
  if (outcome.exitCode === 0 && outcome.stdout.trim() !== "") return { state: "answers", reason: "" };
  const reason = reasonOf(outcome);
  if (SOCKET_SHUT.test(outcome.stderr)) return { state: "shut", reason };
  return { state: UNFIT.test(outcome.stderr) ? "unfit" : "silent", reason };
}

/** The problem of a daemon that answers with an error, as a clause. */
export function unfitDaemon(reason: string): string {
  return `the docker client and the container daemon do not work together: ${reason}`;
}

/** Raises `refused` for impossible combinations. Probes the daemon only if the result decides whether to start. */
export async function refuseImpossibleSwitches(
  config: Config,
  environment: Environment,
  log: Log,
): Promise<void> {
  if (config.sandbox === "docker") {
    const daemon = await askDaemon(environment);
    if (daemon.state === "silent") {
      log.error("the container daemon does not answer", { reason: daemon.reason });
      throw new AppError("refused", "sandbox: docker was requested but the daemon does not answer");
    }
    refuseUnusable("sandbox: docker was requested", daemon);
  }
  if (config.egress) await refuseImpossibleEgress(config, environment);
}

function refuseUnusable(wish: string, daemon: Daemon): void {
  if (daemon.state === "shut") throw new AppError("refused", `${wish} but ${DAEMON_SHUT}`);
  if (daemon.state === "unfit") throw new AppError("refused", `${wish} but ${unfitDaemon(daemon.reason)}`);
}

async function refuseImpossibleEgress(config: Config, environment: Environment): Promise<void> {
  const daemon = config.sandbox === "auto" ? await askDaemon(environment) : undefined;
  if (daemon) refuseUnusable("egress is enabled", daemon);
  if (config.sandbox !== "docker" && daemon?.state !== "answers") {
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
