// Runs docker commands, each with a deadline, so that a hanging daemon blocks nothing for longer.

import { homeDirectory, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import {
  runProcess,
  startProcess,
  startTerminal,
  type OutputStream,
  type RunningProcess,
  type RunOutcome,
  type TerminalOptions,
  type TerminalProcess,
} from "../../kit/processes/process.ts";

interface SweepOptions {
  readonly kind: "containers" | "terminals";
  readonly deadlineMs: number;
  readonly log: Log;
}

const OUTPUT_BYTES_MAX = 64 * 1024;

const REMOVAL_TRIES = 5;
const REMOVAL_PAUSE_MS = 500;
/** From docker, or from the system without a docker client. */
const NO_CONTAINER = /no such container|^docker: not found$/i;

/** Variables with which the docker client finds its daemon; none reaches a container. */
const CLIENT_VARIABLES = [
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_CERT_PATH",
  "DOCKER_TLS_VERIFY",
  "DOCKER_API_VERSION",
  "XDG_RUNTIME_DIR",
  "SSH_AUTH_SOCK",
];

export class DockerCommand {
  readonly #environment: Environment;
  readonly #variables: Record<string, string>;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#variables = { HOME: homeDirectory(environment) };
    for (const name of CLIENT_VARIABLES) {
      const value = environment[name];
      if (value !== undefined) this.#variables[name] = value;
    }
  }

  /** A docker failure is an outcome, not an error. */
  run(args: readonly string[], deadlineMs: number): Promise<RunOutcome> {
    return runProcess(["docker", ...args], {
      environment: this.#environment,
      variables: this.#variables,
      deadlineMs,
      outputBytesMax: OUTPUT_BYTES_MAX,
    });
  }

  /**
   * Removes a container with its volumes; there may be none. `mayComeLate`: a slow daemon may start it after a first removal, so the removal is
   * repeated. Resolves with the outcome of the last try if the container may still be there.
   */
  async remove(name: string, deadlineMs: number, mayComeLate = false): Promise<RunOutcome | undefined> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.run(["rm", "--force", "--volumes", name], deadlineMs);
      // Podman succeeds, and says nothing, if there is none.
      const isGone = outcome.exitCode === 0 || NO_CONTAINER.test(outcome.stderr);
      if (isGone && !mayComeLate) return undefined;
      if (attempt === REMOVAL_TRIES) return isGone ? undefined : outcome;
      await Bun.sleep(REMOVAL_PAUSE_MS * attempt);
    }
  }

  /** Copies a file out of a container; of a link, the file that it leads to. */
  async copy(source: string, target: string, deadlineMs: number): Promise<RunOutcome> {
    const outcome = await this.run(["cp", "--follow-link", source, target], deadlineMs);
    // Podman always follows links, and has no such flag.
    if (!/unknown flag/i.test(outcome.stderr)) return outcome;
    return this.run(["cp", source, target], deadlineMs);
  }

  /** Removes containers that a crash left behind, and logs the outcome. `kind`: of the containers, for the log. */
  async sweep(ids: readonly string[], { kind, deadlineMs, log }: SweepOptions): Promise<void> {
    if (ids.length === 0) return;
    const failed = await this.#removeAll(ids, deadlineMs);
    if (failed.length > 0)
      log.error(`cannot remove ${kind} of an earlier start`, {
        containers: failed.length,
        reason: reasonOf(failed[0]!),
      });
    if (failed.length < ids.length)
      log.warn(`removed ${kind} of an earlier start`, { containers: ids.length - failed.length });
  }

  /** As `remove`, for several at once. Resolves with the outcomes of those that may still be there. */
  async #removeAll(names: readonly string[], deadlineMs: number): Promise<RunOutcome[]> {
    const { stdout } = await this.run(["rm", "--force", "--volumes", ...names], deadlineMs);
    const gone = new Set(stdout.split("\n").map((line) => line.trim()));
    // Docker calls it an error if another one removes a container at this moment, or has removed it.
    const left = names.filter((name) => !gone.has(name));
    const outcomes = await Promise.all(left.map((name) => this.remove(name, deadlineMs)));
    return outcomes.filter((outcome) => outcome !== undefined);
  }

  /** Starts an attached client, which runs as long as its container. Raises `unavailable` when there is no docker client. */
  async attach(
    args: readonly string[],
    output: (stream: OutputStream, chunk: Uint8Array) => void,
  ): Promise<RunningProcess> {
    const client = await startProcess(["docker", ...args], {
      environment: this.#environment,
      variables: this.#variables,
      output,
    });
    if (!client) throw new AppError("unavailable", "the docker client is not on the PATH of this service");
    return client;
  }

  /** Starts a client on its own pseudo-terminal. Undefined when there is no docker client, or no pseudo-terminals. */
  terminal(
    args: readonly string[],
    options: Pick<TerminalOptions, "columns" | "rows" | "output" | "drained">,
  ): TerminalProcess | undefined {
    return startTerminal(["docker", ...args], {
      ...options,
      environment: this.#environment,
      variables: { ...this.#variables, TERM: "xterm-256color" },
    });
  }
}

/** Returns the last line of docker's error output, for logs. */
export function reasonOf(outcome: RunOutcome): string {
  if (outcome.timedOut) return "no answer before the deadline";
  return outcome.stderr.trim().split("\n").at(-1) ?? "";
}
