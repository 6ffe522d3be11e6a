// Copies the shell of an image out of it, to start the image's containers with (see launcher.ts). The first copy is tried in a container: a daemon
// that does not see this machine's files would mount an empty folder in its place, and one that reads them as an ordinary user, as those in a
// virtual machine do, cannot run a program that nobody may read.

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/error.ts";
import { replaceWith } from "../../kit/disk/replace-file.ts";
import type { Log } from "../../kit/log.ts";
import { randomHex } from "../../kit/random.ts";
import type { DockerTimes } from "./container.ts";
import { reasonOf, type DockerCommand } from "./docker-client.ts";
import { CONTAINER_USER, ISOLATION_ARGUMENTS } from "./isolation.ts";
import { LAUNCHER_MODE, LAUNCHER_PATH, READABLE_LAUNCHER_MODE, SHELL_PATH } from "./launcher.ts";
import { filesUnseen, reasonIn, startFailure } from "./start-failure.ts";

const NAME_BITS = 48;
/** Of a container, as docker and podman say it. */
const NO_FILE = /could not find the file|could not be found/i;
/** Exit codes of the trial, unlike those of docker and of the shell. */
const UNSEEN = 3;
const NOT_RUNNABLE = 4;
const TRIAL = `[ -f ${LAUNCHER_PATH} ] || exit ${UNSEEN}; ${LAUNCHER_PATH} -c : 2>/dev/null || exit ${NOT_RUNNABLE}`;

interface ShellCopiesDeps {
  readonly docker: DockerCommand;
  readonly log: Log;
  readonly times: DockerTimes;
  readonly labels: readonly string[];
  /** A private folder for the copies. */
  readonly folder: () => Promise<string>;
}

export class ShellCopies {
  readonly #deps: ShellCopiesDeps;
  #mode: Promise<number> | undefined;

  constructor(deps: ShellCopiesDeps) {
    this.#deps = deps;
  }

  /** Returns the path of the copy. `number`: of the image. Raises `unavailable`, with what to do. */
  async copy(image: string, number: number): Promise<string> {
    const fresh = join(await this.#deps.folder(), `sh-${number}.new`);
    await this.#copyOut(image, fresh);
    const path = fresh.replace(/\.new$/, "");
    await replaceWith(fresh, path);
    // Last: with the first mode, only root can open it afterwards.
    await chmod(path, await this.#modeFor(image, path));
    return path;
  }

  /** The result of the first trial that succeeds. One that fails says nothing about other images, and its cause may be corrected. */
  async #modeFor(image: string, path: string): Promise<number> {
    while (this.#mode) {
      const mode = await this.#mode.catch(() => undefined);
      if (mode !== undefined) return mode;
    }
    this.#mode = this.#tried(image, path).catch((error: unknown) => {
      this.#mode = undefined;
      throw error;
    });
    return this.#mode;
  }

  async #copyOut(image: string, target: string): Promise<void> {
    const { docker, times, labels, log } = this.#deps;
    const label = labels.flatMap((one) => ["--label", one]);
    const created = await docker.run(
      ["create", "--pull", "never", "--network", "none", ...label, image, "sh"],
      times.commandMs,
    );
    if (created.exitCode !== 0) {
      log.error("cannot create a container to copy the shell of an image", {
        image,
        reason: created.timedOut ? reasonOf(created) : reasonIn(created.stderr),
      });
      throw startFailure(created.stderr, image);
    }
    const container = created.stdout.trim();
    const copied = await docker.copy(`${container}:${SHELL_PATH}`, target, times.commandMs);
    await docker.remove(container, times.commandMs);
    if (copied.exitCode === 0) return;
    if (!NO_FILE.test(copied.stderr)) {
      log.error("cannot copy the shell of an image", { image, target, reason: reasonIn(copied.stderr) });
      throw new AppError(
        "unavailable",
        "the docker client could not copy a file to the data directory of this service; see the service's log",
      );
    }
    log.warn("no shell in an image for gears", { image, reason: reasonOf(copied) });
    throw new AppError(
      "unavailable",
      `image ${image} has no ${SHELL_PATH}, which starts gears: set another one in sandbox_images`,
    );
  }

  /** Returns the mode with which a container can run the copy. */
  async #tried(image: string, path: string): Promise<number> {
    const { log } = this.#deps;
    for (const mode of [LAUNCHER_MODE, READABLE_LAUNCHER_MODE]) {
      await chmod(path, mode);
      if (!(await this.#runs(image, path))) continue;
      if (mode !== LAUNCHER_MODE) log.info("the container daemon runs only programs that it can read", {});
      return mode;
    }
    log.error("containers cannot run programs in the directory of the sandbox", { launcher: path });
    throw new AppError(
      "unavailable",
      "containers cannot run programs that are in the data directory of this service: mount its disk without noexec, or choose another directory",
    );
  }

  async #runs(image: string, path: string): Promise<boolean> {
    const { docker, log, times, labels } = this.#deps;
    const name = `cairn-trial-${randomHex(NAME_BITS)}`;
    const outcome = await docker.run(
      [
        "run",
        "--rm",
        `--name=${name}`,
        ...labels.map((label) => `--label=${label}`),
        ...ISOLATION_ARGUMENTS,
        `--volume=${path}:${LAUNCHER_PATH}:ro,z`,
        `--user=${CONTAINER_USER}`,
        `--entrypoint=${SHELL_PATH}`,
        image,
        "-c",
        TRIAL,
      ],
      times.startMs,
    );
    if (outcome.exitCode === 0) return true;
    if (outcome.exitCode === NOT_RUNNABLE) return false;
    const mayComeLate = outcome.exitCode === null;
    if (mayComeLate) await docker.remove(name, times.commandMs, mayComeLate);
    if (outcome.exitCode === UNSEEN) {
      log.error("a container does not see a file of this service", { image, launcher: path });
      throw filesUnseen();
    }
    const reason = outcome.timedOut ? reasonOf(outcome) : reasonIn(outcome.stderr);
    log.error("cannot start a container", { image, launcher: path, exit: outcome.exitCode, reason });
    throw startFailure(outcome.stderr, image);
  }
}
