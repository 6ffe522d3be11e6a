// One container, used once: started and waiting on stdin, handed files and arguments, thrown away. Whether it was started ahead or
// for this call makes no difference to what it is. Every wait here ends, whatever the daemon does.

import type { Clock } from "../../kit/clock.ts";
import { LATE, within } from "../../kit/deadline.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Exit, OutputStream, RunningProcess } from "../../kit/process.ts";
import { randomSecret } from "../../kit/random.ts";
import { reasonOf, type DockerCommand } from "./docker-client.ts";
import { CONTAINER_USER, ISOLATION_ARGUMENTS } from "./isolation.ts";
import { makeRunFolder, removeFolder, writeGearFiles, type RunFolder } from "./files.ts";
import { BEGUN, GEAR_FOLDER, launcherHeader, LAUNCHER_PATH, LAUNCHER_SCRIPT, READY } from "./launcher.ts";
import { ExpectedLine, MarkedStream } from "./marker.ts";
import { notStartedInTime } from "./slots.ts";
import { endingOf, Outcome, untilAborted, type Ending } from "./outcome.ts";
import type { SandboxRequest, SandboxResult } from "./sandbox.ts";

const SECRET_BITS = 256;
/** Said by the docker client itself: the daemon is gone, or could not start the container. */
const CLIENT_FAILED = 125;

export interface DockerTimes {
  /** From the start of a container until it waits for its call. */
  readonly startMs: number;
  /** For a kill that somebody waits for. */
  readonly killMs: number;
  /** For every other call of the docker command line. */
  readonly commandMs: number;
  /** For fetching an image. */
  readonly pullMs: number;
}

export const DOCKER_TIMES: DockerTimes = {
  startMs: 20_000,
  killMs: 3_000,
  commandMs: 10_000,
  pullMs: 900_000,
};

/** A container is removed in the background; when the daemon does not answer, again, at growing intervals. */
const REMOVAL_TRIES = 5;
const REMOVAL_PAUSE_MS = 500;
/** A container whose launcher has ended is removed by the daemon, and its client ends after that. */
const OWN_END_MS = 2_000;
const CLIENT_TEXT_CHARACTERS_MAX = 2_000;

export interface ContainerDeps {
  readonly docker: DockerCommand;
  readonly clock: Clock;
  readonly log: Log;
  readonly times: DockerTimes;
}

export interface ContainerPlan {
  readonly name: string;
  readonly image: string;
  readonly labels: readonly string[];
  /** The image's shell, as nobody may read it. */
  readonly launcher: string;
  /** Where the run's folder is made. */
  readonly folder: string;
}

function runArguments(plan: ContainerPlan, gearFolder: string): string[] {
  const labels = plan.labels.map((label) => `--label=${label}`);
  const mounts = [`${gearFolder}:${GEAR_FOLDER}:ro,z`, `${plan.launcher}:${LAUNCHER_PATH}:ro,z`].map(
    (mount) => `--volume=${mount}`,
  );
  const place = [
    `--user=${CONTAINER_USER}`,
    "--hostname=gear",
    `--workdir=${GEAR_FOLDER}`,
    `--entrypoint=${LAUNCHER_PATH}`,
  ];
  const start = ["run", "--rm", "--interactive", `--name=${plan.name}`];
  return [
    ...start,
    ...labels,
    ...ISOLATION_ARGUMENTS,
    ...mounts,
    ...place,
    plan.image,
    "-c",
    LAUNCHER_SCRIPT,
  ];
}

interface Streams {
  readonly stdout: MarkedStream;
  readonly stderr: MarkedStream;
}

export class GearContainer {
  readonly #deps: ContainerDeps;
  readonly #plan: ContainerPlan;
  readonly #folder: RunFolder;
  readonly #client: RunningProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #finished = Promise.withResolvers<Ending | { readonly kind: "not-begun" }>();
  readonly #readyLine = new ExpectedLine(READY);
  readonly #begunLine = new ExpectedLine(BEGUN);
  #state: "starting" | "waiting" | "called" | "running" | "over" = "starting";
  #streams: Streams | undefined;
  #stdoutCode: number | undefined;
  #stderrSeen = false;
  #wasReady = false;
  #clientSaid = "";
  #disposed: Promise<void> | undefined;

  /** Starts it; `ready` says when it waits for its call. Raises `unavailable` when there is no docker client. */
  static async start(deps: ContainerDeps, plan: ContainerPlan): Promise<GearContainer> {
    const folder = await makeRunFolder(plan.folder);
    try {
      // It may speak before there is anything that could listen.
      const early: [OutputStream, Uint8Array][] = [];
      let take = (stream: OutputStream, chunk: Uint8Array): void => void early.push([stream, chunk]);
      const client = await deps.docker.attach(runArguments(plan, folder.gear), (stream, chunk) =>
        take(stream, chunk),
      );
      const container = new GearContainer(deps, plan, folder, client);
      take = (stream, chunk) => container.#take(stream, chunk);
      for (const [stream, chunk] of early) take(stream, chunk);
      return container;
    } catch (error) {
      await removeFolder(folder.path);
      throw error;
    }
  }

  private constructor(deps: ContainerDeps, plan: ContainerPlan, folder: RunFolder, client: RunningProcess) {
    this.#deps = deps;
    this.#plan = plan;
    this.#folder = folder;
    this.#client = client;
    // Both are awaited by whoever uses the container; one that nobody uses may fail in silence.
    this.#ready.promise.catch(() => {});
    this.#finished.promise.catch(() => {});
    void client.ended.then(({ exitCode }) => this.#clientEnded(exitCode));
  }

  /** Waits on stdin, and its client lives. */
  get waiting(): boolean {
    return this.#state === "waiting";
  }

  /** Resolves when the client has ended, so that a pool can drop a container that died while it waited. */
  get ended(): Promise<unknown> {
    return this.#client.ended;
  }

  /** The container is up, or will not come up. Never raises. */
  get started(): Promise<void> {
    return this.#ready.promise.catch(() => {});
  }

  /** Raises `unavailable` when the container does not come up before the deadline. */
  async ready(): Promise<void> {
    const timer = setTimeout(() => this.#ready.reject(notStartedInTime()), this.#deps.times.startMs);
    try {
      await this.#ready.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Once. The gear's time-out counts from when it has its arguments. Undefined when the container died before the gear began, so
   * that another one may be tried. Raises `unavailable` when the daemon fails on the way.
   */
  async run(request: SandboxRequest): Promise<SandboxResult | undefined> {
    await writeGearFiles(this.#folder.gear, request);
    const cancelled = await untilAborted(request.signal, this.ready());
    const outcome = new Outcome(this.#deps.clock, request.output);
    if (cancelled) return outcome.result({ kind: "cancel" });
    this.#begin(request, outcome);
    const ending = await endingOf(this.#finished.promise, request);
    if (ending.kind === "not-begun") return undefined;
    // Killing the client would not stop the container.
    if (ending.kind !== "exit") await this.#kill();
    return outcome.result(ending);
  }

  /** Removes container and folder, and sees that both are gone. Never raises; what fails is logged, and swept at the next start. */
  dispose(): Promise<void> {
    return (this.#disposed ??= this.#dispose());
  }

  #begin(request: SandboxRequest, outcome: Outcome): void {
    const secret = randomSecret(SECRET_BITS);
    this.#streams = {
      stdout: new MarkedStream(secret, (chunk) => outcome.add("stdout", chunk)),
      stderr: new MarkedStream(secret, (chunk) => outcome.add("stderr", chunk)),
    };
    this.#state = "called";
    this.#client.write(launcherHeader(secret, request) + request.stdin);
    this.#client.endInput();
  }

  #take(stream: OutputStream, chunk: Uint8Array): void {
    if (this.#state === "starting") this.#takeBeforeReady(stream, chunk);
    else if (this.#state === "called" && stream === "stdout") this.#takeBegun(chunk);
    else if (this.#state !== "over") this.#takeOutput(stream, chunk);
  }

  #takeBegun(chunk: Uint8Array): void {
    const rest = this.#begunLine.add(chunk);
    if (rest === undefined) return;
    this.#state = "running";
    this.#takeOutput("stdout", rest);
  }

  #takeBeforeReady(stream: OutputStream, chunk: Uint8Array): void {
    if (stream === "stderr") {
      this.#clientSaid = (this.#clientSaid + Buffer.from(chunk).toString("utf8")).slice(
        0,
        CLIENT_TEXT_CHARACTERS_MAX,
      );
      return;
    }
    if (this.#readyLine.add(chunk) === undefined) return;
    this.#state = "waiting";
    this.#wasReady = true;
    this.#ready.resolve();
  }

  #takeOutput(stream: OutputStream, chunk: Uint8Array): void {
    const code = this.#streams?.[stream].add(chunk);
    if (code === undefined) return;
    if (stream === "stdout") this.#stdoutCode = code;
    else this.#stderrSeen = true;
    // Both: the two streams arrive independently of each other.
    if (this.#stdoutCode !== undefined && this.#stderrSeen)
      this.#finished.resolve({ kind: "exit", exitCode: this.#stdoutCode });
  }

  #clientEnded(exitCode: number): void {
    const before = this.#state;
    this.#state = "over";
    if (before === "starting") this.#ready.reject(this.#notStarted(exitCode));
    if (before === "waiting" || before === "called") this.#finished.resolve({ kind: "not-begun" });
    if (exitCode === CLIENT_FAILED) {
      this.#finished.reject(
        new AppError(
          "unavailable",
          "the container daemon went away while the gear ran; its outcome is unknown",
        ),
      );
      return;
    }
    // Without a marker the launcher itself was killed, with all that ran in the container: by the gear, or for want of memory.
    this.#streams?.stdout.flush();
    this.#streams?.stderr.flush();
    this.#finished.resolve({ kind: "exit", exitCode });
  }

  #notStarted(exitCode: number): AppError {
    const { name, image } = this.#plan;
    this.#deps.log.error("cannot start a container", {
      container: name,
      exit: exitCode,
      reason: this.#clientSaid.trim().split("\n")[0],
    });
    if (/no such image|unable to find image/i.test(this.#clientSaid)) return imageMissing(image);
    return new AppError(
      "unavailable",
      "the container daemon could not start a container; the service's log says why",
    );
  }

  async #kill(): Promise<void> {
    const outcome = await this.#deps.docker.run(["kill", this.#plan.name], this.#deps.times.killMs);
    if (outcome.exitCode === 0 || /no such container|is not running/i.test(outcome.stderr)) return;
    this.#deps.log.error("cannot kill the container of a gear", {
      container: this.#plan.name,
      reason: reasonOf(outcome),
    });
    throw new AppError(
      "unavailable",
      "the gear had to be stopped, and the container daemon does not answer; it is removed when it does",
    );
  }

  async #dispose(): Promise<void> {
    this.#state = "over";
    const exit = await this.#ownEnd();
    const gone = exit !== undefined && this.#wasReady && exit.exitCode !== CLIENT_FAILED;
    if (!gone) {
      this.#client.kill();
      await this.#removeContainer(exit === undefined && !this.#wasReady);
    }
    await removeFolder(this.#folder.path).catch((error: unknown) =>
      this.#deps.log.warn("cannot remove the folder of a gear", {
        folder: this.#folder.path,
        error: messageOf(error),
      }),
    );
  }

  /**
   * Without its call the launcher ends at the end of stdin; after it, it has ended. The client ends when the container is removed.
   * Undefined when it does not end soon.
   */
  async #ownEnd(): Promise<Exit | undefined> {
    this.#client.endInput();
    const exit = await within(OWN_END_MS, this.#client.ended);
    return exit === LATE ? undefined : exit;
  }

  /** `mayComeLate`: a daemon that was slow to start a container may do so after it was told to remove it, so it is told again. */
  async #removeContainer(mayComeLate: boolean): Promise<void> {
    const { name } = this.#plan;
    for (let attempt = 1; attempt <= REMOVAL_TRIES; attempt++) {
      const outcome = await this.#deps.docker.run(
        ["rm", "--force", "--volumes", name],
        this.#deps.times.commandMs,
      );
      const gone =
        /no such container/i.test(outcome.stderr) ||
        (outcome.exitCode === 0 && outcome.stdout.trim() === name);
      if (gone && (!mayComeLate || attempt === REMOVAL_TRIES)) return;
      await Bun.sleep(REMOVAL_PAUSE_MS * attempt);
    }
    this.#deps.log.error("cannot remove a container; the next start will", { container: name });
  }
}

/** The one sentence for an image that a gear needs and that is not there. */
export function imageMissing(image: string): AppError {
  return new AppError(
    "unavailable",
    `image ${image} is not on this machine and could not be fetched: run "docker pull ${image}", or name another one in sandbox_images`,
  );
}
