// The images of gears, one per runtime. They are checked and pulled at start, never while a gear waits. Each image's shell is copied out of it to
// start its containers (see launcher.ts).

import type { Clock } from "../../kit/clock.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { runtimes } from "../config/schema.ts";
import type { DockerTimes } from "./container.ts";
import { reasonOf, type DockerCommand } from "./docker-client.ts";
import type { MissingImage, Runtime } from "./sandbox.ts";
import { ShellCopies } from "./shell-copy.ts";
import { imageMissing } from "./start-failure.ts";

/** Asking the daemon starts a process for each image, so the answer is kept for this long. */
const MISSING_KEPT_MS = 5_000;

/** As docker and podman say it. */
const NO_IMAGE = /no such image|image not known/i;

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
  readonly #shells: ShellCopies;
  #missing: { readonly at: number; readonly found: Promise<readonly MissingImage[]> } | undefined;

  constructor(deps: ImagesDeps) {
    this.#deps = deps;
    this.#shells = new ShellCopies(deps);
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
    if (NO_IMAGE.test(outcome.stderr)) return false;
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
    return (entry.image = { name, launcher: await this.#shells.copy(name, entry.number) });
  }
}
