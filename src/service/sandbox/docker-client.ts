// The docker command line, each call with its deadline: a daemon that hangs holds nobody for longer than that.

import { homeDirectory, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import {
  runProcess,
  startProcess,
  startTerminal,
  type OutputStream,
  type RunningProcess,
  type RunOutcome,
  type TerminalOptions,
  type TerminalProcess,
} from "../../kit/process.ts";

const OUTPUT_BYTES_MAX = 64 * 1024;

/** What the docker client needs to find its daemon; none of it reaches a container. */
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

  /** Never throws for what docker does. */
  run(args: readonly string[], deadlineMs: number): Promise<RunOutcome> {
    return runProcess(["docker", ...args], {
      environment: this.#environment,
      variables: this.#variables,
      deadlineMs,
      outputBytesMax: OUTPUT_BYTES_MAX,
    });
  }

  /** An attached client, for as long as its container lives. Raises `unavailable` when there is no docker client. */
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

  /** A client on a terminal of its own. Undefined when there is no docker client, or no terminals. */
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

/** The last line of what docker said, for logs. */
export function reasonOf(outcome: RunOutcome): string {
  if (outcome.timedOut) return "no answer before the deadline";
  return outcome.stderr.trim().split("\n").at(-1) ?? "";
}
