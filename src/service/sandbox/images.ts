// The images of gears, one per runtime. They are checked and pulled at start, never while a gear waits. Each image's shell is copied out of it to
// start its containers (see launcher.ts).

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { replaceWith } from "../../kit/disk/replace-file.ts";
import { runtimes } from "../config/schema.ts";
import { imageMissing, type DockerTimes } from "./container.ts";
import { reasonOf, type DockerCommand } from "./docker-client.ts";
import { LAUNCHER_MODE, SHELL_PATH } from "./launcher.ts";
import type { MissingImage, Runtime } from "./sandbox.ts";

/** Asking the daemon starts a process for each image, so the answer is kept for this long. */
const MISSING_KEPT_MS = 5_000;

export const DEFAULT_IMAGES: Readonly<Record<Runtime, string>> = {
  python: "python:3.12-alpine",
  node: "node:22-alpine",
  bash: "bash:5.2-alpine3.20",
  binary: "busybox",
};

export interface Image {
  readonly name: string;
  /** Path of the copy of its shell on this machine. */
  readonly launcher: string;
}

interface ImagesDeps {
  readonly docker: DockerCommand;
  readonly clock: Clock;
  readonly log: Log;
  readonly times: DockerTimes;
  readonly names: Readonly<Partial<Record<Runtime, string>>>;
  readonly labels: readonly string[];
  /** A private folder for the copies of shells. */
  readonly folder: () => Promise<string>;
}

interface Entry {
  image: Image | undefined;
  pulling: boolean;
  /** The running check, if any. */
  looking: Promise<Image> | undefined;
  number: number;
}

export class Images {
  readonly #deps: ImagesDeps;
  readonly #entries = new Map<string, Entry>();
  #missing: { readonly at: number; readonly found: Promise<readonly MissingImage[]> } | undefined;

  constructor(deps: ImagesDeps) {
    this.#deps = deps;
    for (const runtime of runtimes) {
      const name = this.nameFor(runtime);
      if (!this.#entries.has(name))
        this.#entries.set(name, {
          image: undefined,
          pulling: false,
          looking: undefined,
          number: this.#entries.size,
        });
    }
  }

  nameFor(runtime: Runtime): string {
    return this.#deps.names[runtime] ?? DEFAULT_IMAGES[runtime];
  }

  /** The names of all images, without duplicates. */
  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /**
   * Checks, at start, for an image, and pulls it if it is missing. Undefined, and logged, when it is unavailable. Not
   * `isUsed`: undefined, and nothing is copied out of it.
   */
  async provide(name: string, isUsed: boolean): Promise<Image | undefined> {
    const entry = this.#entry(name);
    try {
      if (!(await this.#present(name))) await this.#pull(name, entry);
      if (isUsed) return await this.#look(name, entry);
      if (!(await this.#present(name))) throw imageMissing(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#deps.log.warn("gears of some runtimes cannot run", { image: name, reason: error.message });
      return undefined;
    }
  }

  /** Returns the image for a call, without pulling. Raises `unavailable`, naming the image and what to do. */
  async ready(runtime: Runtime): Promise<Image> {
    const name = this.nameFor(runtime);
    const entry = this.#entry(name);
    if (entry.image) return entry.image;
    if (entry.pulling)
      throw new AppError(
        "unavailable",
        `image ${name} for ${runtime} gears is being pulled; try again in a minute`,
      );
    return this.#look(name, entry);
  }

  /** Looks for the images that no gear could use so far, and returns those that are still missing. */
  missing(): Promise<readonly MissingImage[]> {
    const now = this.#deps.clock.elapsed();
    if (!this.#missing || now - this.#missing.at >= MISSING_KEPT_MS)
      this.#missing = { at: now, found: this.#findMissing() };
    return this.#missing.found;
  }

  async #findMissing(): Promise<readonly MissingImage[]> {
    const found = await Promise.all(
      this.names.map(async (image) => {
        const missing = { image, runtimes: runtimes.filter((runtime) => this.nameFor(runtime) === image) };
        try {
          if (this.#entry(image).image || this.#entry(image).pulling || (await this.#present(image))) {
            await this.ready(missing.runtimes[0]!);
            return [];
          }
          return [{ ...missing, reason: imageMissing(image).message, command: `docker pull ${image}` }];
        } catch (error) {
          return [{ ...missing, reason: messageOf(error), command: null }];
        }
      }),
    );
    return found.flat();
  }

  #entry(name: string): Entry {
    return this.#entries.get(name)!;
  }

  async #present(name: string): Promise<boolean> {
    const outcome = await this.#deps.docker.run(
      ["image", "inspect", "--format", "{{.Id}}", name],
      this.#deps.times.commandMs,
    );
    if (outcome.exitCode === 0) return true;
    if (/no such image/i.test(outcome.stderr)) return false;
    throw new AppError("unavailable", "the container daemon does not answer; gears cannot run until it does");
  }

  async #pull(name: string, entry: Entry): Promise<void> {
    this.#deps.log.info("pulling an image for gears", { image: name });
    entry.pulling = true;
    try {
      const outcome = await this.#deps.docker.run(["pull", "--quiet", name], this.#deps.times.pullMs);
      // Network errors go to the log only.
      if (outcome.exitCode !== 0)
        this.#deps.log.warn("cannot pull an image for gears", { image: name, reason: reasonOf(outcome) });
    } finally {
      entry.pulling = false;
    }
  }

  #look(name: string, entry: Entry): Promise<Image> {
    return (entry.looking ??= this.#prepareImage(name, entry).finally(() => (entry.looking = undefined)));
  }

  async #prepareImage(name: string, entry: Entry): Promise<Image> {
    if (entry.image) return entry.image;
    if (!(await this.#present(name))) throw imageMissing(name);
    return (entry.image = { name, launcher: await this.#copyShell(name, entry.number) });
  }

  async #copyShell(image: string, number: number): Promise<string> {
    const { docker, times, labels } = this.#deps;
    const fresh = join(await this.#deps.folder(), `sh-${number}.new`);
    const create = [
      "create",
      "--pull",
      "never",
      "--network",
      "none",
      ...labels.flatMap((label) => ["--label", label]),
      image,
      "sh",
    ];
    const created = await docker.run(create, times.commandMs);
    if (created.exitCode !== 0) {
      this.#deps.log.error("cannot create a container to copy the shell of an image", {
        image,
        reason: reasonOf(created),
      });
      throw new AppError(
        "unavailable",
        "the container daemon could not create a container; see the service's log",
      );
    }
    const container = created.stdout.trim();
    const copied = await docker.run(
      ["cp", "--follow-link", `${container}:${SHELL_PATH}`, fresh],
      times.commandMs,
    );
    await docker.remove(container, times.commandMs);
    if (copied.exitCode !== 0) {
      this.#deps.log.warn("no shell in an image for gears", { image, reason: reasonOf(copied) });
      throw new AppError(
        "unavailable",
        `image ${image} has no ${SHELL_PATH}, which starts gears: set another one in sandbox_images`,
      );
    }
    const path = fresh.replace(/\.new$/, "");
    await replaceWith(fresh, path);
    // Last: afterwards only root can open it.
    await chmod(path, LAUNCHER_MODE);
    return path;
  }
}
