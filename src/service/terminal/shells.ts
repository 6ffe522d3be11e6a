// Containers for terminals: the isolation of gears, a shell, and a workspace's files mounted read-only. A container is created and then attached
// to, so that it can be removed by name whatever happens in between. Every docker command has a deadline.

import { stat } from "node:fs/promises";
import type { Log } from "../../kit/log.ts";
import type { TerminalOptions, TerminalProcess } from "../../kit/processes/process.ts";
import { randomHex } from "../../kit/random.ts";
import { traitsOf } from "../sandbox/daemon-traits.ts";
import { reasonOf, type DockerCommand } from "../sandbox/docker-client.ts";
import { CONTAINER_USER, ISOLATION_ARGUMENTS } from "../sandbox/isolation.ts";

const CREATE_DEADLINE_MS = 20_000;
const COMMAND_DEADLINE_MS = 5_000;
const NAME_BITS = 48;
const LABEL = "cairn.terminal";
const MOUNT_PATH = "/workspace";
/** Leaves Docker's default keys (ctrl-p first) to the shell. Nobody types these by accident, and detaching ends the session. */
const DETACH_KEYS = "ctrl-@,ctrl-_,ctrl-@,ctrl-_";
const SHELL_SCRIPT = "command -v bash >/dev/null && exec bash; exec sh";

interface ShellsOptions {
  readonly docker: DockerCommand;
  readonly image: string;
  /** Identifies this installation's containers among others on the same daemon. */
  readonly installation: string;
  readonly log: Log;
}

/** The reasons why no shell can show a workspace's files. */
export type FilesProblem = "files_of_root" | "users_mapped";

/** A workspace's folder, and the user of a container who can read it. */
export interface ReadableFiles {
  readonly folder: string;
  readonly user: string;
}

export class Shells {
  readonly #options: ShellsOptions;
  #swept: Promise<void> | undefined;

  constructor(options: ShellsOptions) {
    this.#options = options;
  }

  /** Removes containers left behind by a crash. Runs once, before the first shell. */
  sweep(): Promise<void> {
    return (this.#swept ??= this.#sweep());
  }

  newName(): string {
    return `cairn-terminal-${randomHex(NAME_BITS)}`;
  }

  /** Creates a container with these files mounted read-only at /workspace. Returns false, and logs why, when it fails. */
  async create(name: string, files: ReadableFiles | null): Promise<boolean> {
    const { docker, image, installation, log } = this.#options;
    const mount =
      files === null
        ? ["--workdir=/tmp"]
        : [`--volume=${files.folder}:${MOUNT_PATH}:ro,z`, `--workdir=${MOUNT_PATH}`];
    const created = await docker.run(
      [
        "create",
        "--interactive",
        "--tty",
        `--name=${name}`,
        `--label=${LABEL}=${installation}`,
        "--hostname=terminal",
        ...ISOLATION_ARGUMENTS,
        ...mount,
        `--user=${files?.user ?? CONTAINER_USER}`,
        "--env=TERM=xterm-256color",
        // Otherwise a shell takes non-ASCII input for commands of its line editor.
        "--env=LANG=C.UTF-8",
        "--entrypoint=sh",
        image,
        "-c",
        SHELL_SCRIPT,
      ],
      CREATE_DEADLINE_MS,
    );
    if (created.exitCode === 0) return true;
    log.error("cannot create the container of a terminal", { image, reason: reasonOf(created) });
    return false;
  }

  /**
   * Finds the user in a container who owns a workspace's folder and so is the only one that can read it. The shell runs as this user, without
   * capabilities or write access. A problem: the owner is root, here or in the container, as whom no shell runs, or nobody in a container.
   */
  async readable(folder: string): Promise<ReadableFiles | { readonly problem: FilesProblem }> {
    if (process.platform === "win32") return { folder, user: CONTAINER_USER };
    const { uid, gid } = await stat(folder);
    if (uid === 0) return { problem: "files_of_root" };
    const { usersMapped } = await traitsOf(this.#options.docker, COMMAND_DEADLINE_MS);
    return usersMapped ? { problem: "users_mapped" } : { folder, user: `${uid}:${gid}` };
  }

  attach(
    name: string,
    options: Pick<TerminalOptions, "columns" | "rows" | "output" | "drained">,
  ): TerminalProcess | undefined {
    return this.#options.docker.terminal(
      ["start", "--attach", "--interactive", `--detach-keys=${DETACH_KEYS}`, name],
      options,
    );
  }

  /** Resolves once the daemon confirms the removal. Never raises: a failure is logged, and the next start sweeps the container. */
  async remove(name: string): Promise<void> {
    const { docker, log } = this.#options;
    const failed = await docker.remove(name, COMMAND_DEADLINE_MS);
    if (failed)
      log.error("cannot remove the container of a terminal", { container: name, reason: reasonOf(failed) });
  }

  async #sweep(): Promise<void> {
    const { docker, installation, log } = this.#options;
    const listed = await docker.run(
      ["ps", "--all", "--quiet", `--filter=label=${LABEL}=${installation}`],
      COMMAND_DEADLINE_MS,
    );
    const orphans = listed.exitCode === 0 ? listed.stdout.split("\n").filter((id) => id !== "") : [];
    await docker.sweep(orphans, { kind: "terminals", deadlineMs: COMMAND_DEADLINE_MS, log });
  }
}
