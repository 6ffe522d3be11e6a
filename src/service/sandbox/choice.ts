// Chooses the sandbox of this service once per start, so that a service that began with isolation never continues without it.

import { join, resolve } from "node:path";
import { temporaryDirectory, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { Config, SandboxMode } from "../config/schema.ts";
import { DockerSandbox, type DockerOptions } from "./docker.ts";
import { askDaemon, DAEMON_SHUT, notIsolatedWarning, unfitDaemon } from "./probe.ts";
import type { MissingImage, Runtime, Sandbox, SandboxRequest, SandboxResult } from "./sandbox.ts";
import { SubprocessSandbox } from "./subprocess.ts";

interface SandboxOptions extends Omit<DockerOptions, "images" | "pool"> {
  /** Whether local requests have the loopback privilege. */
  readonly loopbackAdmin: boolean;
}

/**
 * The files of runs lie in the data directory, because not every container daemon sees our temporary directory: systemd gives a service its own
 * `/tmp`, and daemons in a virtual machine often mount the home directory only. A colon would end the path in `docker --volume`.
 */
export function sandboxFolder(data: string, installation: string, environment: Environment): string {
  const canBeMounted = process.platform === "win32" || !data.includes(":");
  return canBeMounted
    ? resolve(data, "sandbox")
    : join(temporaryDirectory(environment), `cairn-sandbox-${installation}`);
}

/** With `auto`, `prepare` decides. It also logs a warning when gears are not isolated. */
export function createSandbox(
  config: Pick<Config, "sandbox" | "sandboxImages" | "sandboxPool">,
  options: SandboxOptions,
): Sandbox {
  const docker = () =>
    new DockerSandbox({ ...options, images: config.sandboxImages, pool: config.sandboxPool });
  return new ChosenSandbox(config.sandbox, options, docker);
}

class ChosenSandbox implements Sandbox {
  readonly #options: SandboxOptions;
  readonly #docker: () => Sandbox;
  #chosen: Sandbox | undefined;
  #choosing: Promise<Sandbox> | undefined;
  #stopped = false;

  constructor(mode: SandboxMode, options: SandboxOptions, docker: () => Sandbox) {
    this.#options = options;
    this.#docker = docker;
    if (mode === "docker") this.#chosen = docker();
    if (mode === "subprocess") this.#chosen = new SubprocessSandbox(options);
  }

  /** Until `auto` is decided, the cautious answer: not isolated. */
  get kind(): Sandbox["kind"] {
    return this.#chosen?.kind ?? "subprocess";
  }

  get isolated(): boolean {
    return this.#chosen?.isolated ?? false;
  }

  get unenforced(): Sandbox["unenforced"] {
    return this.#chosen?.unenforced ?? [];
  }

  async decided(): Promise<void> {
    await this.#choice();
  }

  async prepare(hasGears: boolean): Promise<void> {
    const sandbox = await this.#choice();
    if (this.#stopped) return;
    if (!sandbox.isolated) this.#options.log.warn(notIsolatedWarning(this.#options.loopbackAdmin));
    await sandbox.prepare(hasGears);
  }

  async missingImages(): Promise<readonly MissingImage[]> {
    return (await this.#choice()).missingImages();
  }

  async requireRuntime(runtime: Runtime): Promise<void> {
    await (await this.#choice()).requireRuntime(runtime);
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const sandbox = await this.#choice();
    if (this.#stopped)
      throw new AppError("unavailable", "the service is stopping; no more gears are started");
    return sandbox.run(request);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#chosen?.stop();
  }

  async #choice(): Promise<Sandbox> {
    this.#choosing ??= this.#choose();
    return (this.#chosen = await this.#choosing);
  }

  async #choose(): Promise<Sandbox> {
    if (this.#chosen) return this.#chosen;
    const daemon = await askDaemon(this.#options.environment);
    if (daemon.state === "answers") return this.#docker();
    if (daemon.state === "shut") this.#options.log.warn(DAEMON_SHUT);
    else if (daemon.state === "unfit") this.#options.log.warn(unfitDaemon(daemon.reason));
    else this.#options.log.info("the container daemon does not answer", { reason: daemon.reason });
    return new SubprocessSandbox(this.#options);
  }
}
