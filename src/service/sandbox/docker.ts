// Runs gears in containers: manages images and pools, sweeps leftovers of earlier starts, and stops. isolation.ts fixes a container's rights.

import { untilAborted } from "../../kit/concurrency/deadline.ts";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Ongoing, type Background } from "../../kit/concurrency/background.ts";
import { systemTimers, type Clock, type Timers } from "../../kit/clock.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError, messageOf, systemCode } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { randomHex } from "../../kit/random.ts";
import type { Config } from "../config/schema.ts";
import { DOCKER_TIMES, GearContainer, type ContainerDeps, type DockerTimes } from "./container.ts";
import { traitsOf } from "./daemon-traits.ts";
import { DockerCommand, reasonOf } from "./docker-client.ts";
import { refuseClashes, removeFolder, withoutRoom } from "./run-folder.ts";
import { Images, type Image } from "./images.ts";
import { Outcome } from "./outcome.ts";
import { StartSlots } from "./start-slots.ts";
import { Pool } from "./pool.ts";
import type {
  MissingImage,
  Runtime,
  Sandbox,
  SandboxLimit,
  SandboxRequest,
  SandboxResult,
} from "./sandbox.ts";

/** Limit of containers running gears. Pooled ones come on top, bounded by the pools. */
const RUNS_AT_ONCE_MAX = 64;
const LABEL_INSTALLATION = "cairn.installation";
const LABEL_START = "cairn.start";
const START_BITS = 48;
const UNENFORCED =
  "the container daemon does not apply all limits of gears: let it use control groups (for a daemon without root, version 2, delegated to its user)";

export interface DockerOptions {
  readonly images: Config["sandboxImages"];
  readonly pool: Config["sandboxPool"];
  /** Stable across restarts, and unique among the installations that share the daemon: letters, digits, `-`. */
  readonly installation: string;
  /** For the files of runs, which containers mount; this sandbox's alone. Created on first use. */
  readonly folder: string;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Of containers. */
  readonly timers?: Timers;
  readonly log: Log;
  readonly background: Background;
  readonly times?: DockerTimes;
}

export class DockerSandbox implements Sandbox {
  readonly kind = "docker";
  readonly isolated = true;
  readonly #options: DockerOptions;
  readonly #container: ContainerDeps;
  readonly #images: Images;
  readonly #pools = new Map<string, Pool>();
  readonly #running = new Ongoing();
  readonly #stopping = new AbortController();
  readonly #start = randomHex(START_BITS);
  readonly #labels: readonly string[];
  readonly #slots = new StartSlots();
  #unenforced: readonly SandboxLimit[] = [];
  #folder: Promise<string> | undefined;
  #count = 0;

  constructor(options: DockerOptions) {
    this.#options = options;
    const { clock, timers = systemTimers, log, times = DOCKER_TIMES } = options;
    const docker = new DockerCommand(options.environment);
    this.#labels = [`${LABEL_INSTALLATION}=${options.installation}`, `${LABEL_START}=${this.#start}`];
    this.#container = { docker, clock, timers, log, times, stopping: this.#stopping.signal };
    this.#images = new Images({
      docker,
      clock,
      log,
      times,
      names: options.images,
      labels: this.#labels,
      folder: () => this.#ownFolder(),
    });
  }

  get unenforced(): readonly SandboxLimit[] {
    return this.#unenforced;
  }

  async decided(): Promise<void> {}

  async prepare(hasGears: boolean): Promise<void> {
    await this.#findUnenforced();
    await this.#sweepContainers();
    await this.#sweepFolders();
    await Promise.all(
      this.#images.names.map(async (name) => {
        const image = await this.#images.provide(name, hasGears);
        if (image && !this.#stopping.signal.aborted) await this.#pool(image).fill();
      }),
    );
  }

  missingImages(): Promise<readonly MissingImage[]> {
    return this.#images.missing();
  }

  async requireRuntime(runtime: Runtime): Promise<void> {
    await this.#images.ready(runtime);
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    if (this.#stopping.signal.aborted)
      throw new AppError("unavailable", "the service is stopping; no more gears are started");
    if (this.#running.size >= RUNS_AT_ONCE_MAX) {
      throw new AppError(
        "rate_limited",
        `${RUNS_AT_ONCE_MAX} gears are running, which is the limit; try again when one has finished`,
      );
    }
    refuseClashes(request);
    const signal = AbortSignal.any([request.signal, this.#stopping.signal]);
    return this.#running.keep(this.#run({ ...request, signal }));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const pool of this.#pools.values()) pool.stop();
    await this.#running.ended();
    await this.#options.background.settle(this.#container.times.commandMs);
    if (this.#folder) await removeFolder(await this.#folder);
  }

  async #run(request: SandboxRequest): Promise<SandboxResult> {
    const image = await this.#images.ready(request.runtime);
    if (request.signal.aborted) return this.#cancelled(request);
    const waiting = this.#pool(image).take();
    const result = waiting && (await this.#runIn(waiting, request));
    if (result) return result;
    // The pool was empty, or its container died before the gear began.
    const starting = this.#startContainer(image);
    if (await untilAborted(request.signal, starting)) return this.#cancelled(request, starting);
    const last = await this.#runIn(await starting, request);
    if (last) return last;
    throw new AppError(
      "unavailable",
      "the container daemon ended a container before the gear began; try again",
    );
  }

  #cancelled(request: SandboxRequest, starting?: Promise<GearContainer>): SandboxResult {
    if (starting)
      this.#options.background.run("remove a gear's container", async () => (await starting).dispose());
    return new Outcome(this.#options.clock, request.output).result({ kind: "cancel" });
  }

  async #runIn(container: GearContainer, request: SandboxRequest): Promise<SandboxResult | undefined> {
    try {
      return await container.run(request);
    } finally {
      // Dispose in the background: the caller need not wait.
      this.#options.background.run("remove a gear's container", () => container.dispose());
    }
  }

  #pool(image: Image): Pool {
    const { pool, background, log } = this.#options;
    const known = this.#pools.get(image.name);
    if (known) return known;
    const made = new Pool({
      size: pool.size,
      idleMs: pool.idleSeconds * 1000,
      start: () => this.#startContainer(image),
      background,
      log,
    });
    this.#pools.set(image.name, made);
    return made;
  }

  async #startContainer(image: Image): Promise<GearContainer> {
    const release = await this.#slots.take(this.#container.times.startMs);
    try {
      const name = `cairn-gear-${this.#start}-${++this.#count}`;
      const folder = await this.#ownFolder();
      const plan = { name, image: image.name, labels: this.#labels, launcher: image.launcher, folder };
      const container = await GearContainer.start(this.#container, plan);
      void container.started.then(release);
      return container;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The folder of this start. Created on first use, so that an unused sandbox leaves nothing behind. */
  #ownFolder(): Promise<string> {
    return (this.#folder ??= this.#makeFolder().catch((error: unknown) => {
      // The next gear tries again: the cause may be corrected.
      this.#folder = undefined;
      throw withoutRoom(error);
    }));
  }

  async #makeFolder(): Promise<string> {
    const path = join(this.#options.folder, this.#start);
    await mkdir(path, { mode: PRIVATE_DIRECTORY_MODE, recursive: true });
    return path;
  }

  async #findUnenforced(): Promise<void> {
    const { docker, log, times } = this.#container;
    this.#unenforced = (await traitsOf(docker, times.commandMs)).unenforced;
    if (this.#unenforced.length > 0) log.warn(UNENFORCED, { limits: this.#unenforced.join(", ") });
  }

  /** Removes containers of this installation's earlier starts, which a crash left behind. */
  async #sweepContainers(): Promise<void> {
    const { docker, log, times } = this.#container;
    const filter = `label=${LABEL_INSTALLATION}=${this.#options.installation}`;
    const listed = await docker.run(
      ["ps", "--all", "--filter", filter, "--format", `{{.ID}} {{.Label "${LABEL_START}"}}`],
      times.commandMs,
    );
    if (listed.exitCode !== 0) {
      log.warn("cannot list the containers of earlier starts", { reason: reasonOf(listed) });
      return;
    }
    const orphans = listed.stdout.split("\n").flatMap((line) => {
      const [id, start] = line.split(" ");
      return id && start !== this.#start ? [id] : [];
    });
    await docker.sweep(orphans, { kind: "containers", deadlineMs: times.commandMs, log });
  }

  async #sweepFolders(): Promise<void> {
    const { folder, log } = this.#options;
    const stale = (await entriesOf(folder)).filter((name) => name !== this.#start);
    for (const name of stale) {
      await removeFolder(join(folder, name)).catch((error: unknown) =>
        log.warn("cannot remove a folder of an earlier start", { folder: name, error: messageOf(error) }),
      );
    }
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
