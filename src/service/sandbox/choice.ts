// Chooses the sandbox of this service once per start, so that a service that began with isolation never continues without it.

import { AppError } from "../../kit/error.ts";
import type { Config, SandboxMode } from "../config/schema.ts";
import { DockerSandbox, type DockerOptions } from "./docker.ts";
import { dockerAnswers, notIsolatedWarning } from "./probe.ts";
import type { MissingImage, Sandbox, SandboxRequest, SandboxResult } from "./sandbox.ts";
import { SubprocessSandbox } from "./subprocess.ts";

interface SandboxOptions extends Omit<DockerOptions, "images" | "pool"> {
  /** Whether local requests have the loopback privilege. */
  readonly loopbackAdmin: boolean;
}

/** With `auto`, `prepare()` decides. It also logs a warning when gears are not isolated. */
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

  async decided(): Promise<void> {
    await this.#choice();
  }

  async prepare(): Promise<void> {
    const sandbox = await this.#choice();
    if (this.#stopped) return;
    if (!sandbox.isolated) this.#options.log.warn(notIsolatedWarning(this.#options.loopbackAdmin));
    await sandbox.prepare();
  }

  async missingImages(): Promise<readonly MissingImage[]> {
    return (await this.#choice()).missingImages();
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
    return (await dockerAnswers(this.#options.environment))
      ? this.#docker()
      : new SubprocessSandbox(this.#options);
  }
}
