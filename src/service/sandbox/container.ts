// One container, used once: it starts, waits on stdin, receives files and arguments, runs, and is removed. A pooled container and one started for
// a call are the same. Every wait has a deadline, whatever the daemon does.

import type { Clock, Timers } from "../../kit/clock.ts";
import { LATE, pauseBy, within, untilAborted } from "../../kit/concurrency/deadline.ts";
import type { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Exit, OutputStream, RunningProcess } from "../../kit/processes/process.ts";
import { randomSecret } from "../../kit/random.ts";
import { reasonOf, type DockerCommand } from "./docker-client.ts";
import { CONTAINER_USER, ISOLATION_ARGUMENTS } from "./isolation.ts";
import {
  makeRunFolder,
  removeFolder,
  removeRunFolder,
  writeGearFiles,
  type RunFolder,
} from "./run-folder.ts";
import { BEGUN, GEAR_FOLDER, launcherHeader, LAUNCHER_PATH, LAUNCHER_SCRIPT, READY } from "./launcher.ts";
import { ExpectedLine, MarkedStream } from "./marker.ts";
import { reasonIn, startFailure } from "./start-failure.ts";
import { notStartedInTime } from "./start-slots.ts";
import { endingOf, Outcome, type Ending } from "./outcome.ts";
import { lostSight, type SandboxRequest, type SandboxResult } from "./sandbox.ts";

const SECRET_BITS = 256;
/** Exit code of the docker client itself: the daemon is gone, or could not start the container. */
const CLIENT_FAILED = 125;

export interface DockerTimes {
  /** From the start of a container until it is ready for its call. */
  readonly startMs: number;
  /** For a kill that a caller waits for. */
  readonly killMs: number;
  /** For every other docker command. */
  readonly commandMs: number;
  /** For pulling an image. */
  readonly pullMs: number;
}

export const DOCKER_TIMES: DockerTimes = {
  startMs: 20_000,
  killMs: 3_000,
  commandMs: 10_000,
  pullMs: 900_000,
};

/** The daemon removes a container whose launcher has ended, and then the client exits. */
const OWN_END_MS = 2_000;
const REMOVAL_RETRY_MS = 30_000;
const CLIENT_TEXT_CHARACTERS_MAX = 2_000;

export interface ContainerDeps {
  readonly docker: DockerCommand;
  readonly clock: Clock;
  /** Of the start of a container and of the timeout of its call. */
  readonly timers: Timers;
  readonly log: Log;
  readonly times: DockerTimes;
  /** Aborted when the sandbox stops. */
  readonly stopping: AbortSignal;
}

interface ContainerPlan {
  readonly name: string;
  readonly image: string;
  readonly labels: readonly string[];
  /** A copy of the image's shell that no user can read. */
  readonly launcher: string;
  /** The parent of the run's folder. */
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

  /** Starts a container; `ready` resolves when it waits for its call. Raises `unavailable` when there is no docker client. */
  static async start(deps: ContainerDeps, plan: ContainerPlan): Promise<GearContainer> {
    const folder = await makeRunFolder(plan.folder);
    try {
      // Buffer output that arrives before the container object exists.
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
    // A user of the container awaits both. For an unused one, ignore the failure.
    this.#ready.promise.catch(() => {});
    this.#finished.promise.catch(() => {});
    void client.ended.then(({ exitCode }) => this.#clientEnded(exitCode));
  }

  /** True while it waits on stdin and its client is alive. */
  get waiting(): boolean {
    return this.#state === "waiting";
  }

  /** Resolves when the client has exited, so that a pool can drop a container that died while waiting. */
  get ended(): Promise<unknown> {
    return this.#client.ended;
  }

  /** Resolves when the container is up, or has failed to start. Never raises. */
  get started(): Promise<void> {
    return this.#ready.promise.catch(() => {});
  }

  /** Raises `unavailable` when the container is not up before the deadline. */
  async ready(): Promise<void> {
    const { timers, times } = this.#deps;
    const cancel = timers.after(times.startMs, () => this.#ready.reject(notStartedInTime()));
    try {
      await this.#ready.promise;
    } finally {
      cancel();
    }
  }

  /**
   * Runs the gear, once. Its timeout starts when it has its arguments. Undefined when the container died before the gear began, so that the
   * caller can retry in another one. Raises `unavailable` when the daemon fails.
   */
  async run(request: SandboxRequest): Promise<SandboxResult | undefined> {
    await writeGearFiles(this.#folder.gear, request);
    const cancelled = await untilAborted(request.signal, this.ready());
    const outcome = new Outcome(this.#deps.clock, request.output);
    if (cancelled) return outcome.result({ kind: "cancel" });
    this.#begin(request, outcome);
    const ending = await endingOf(this.#finished.promise, request, this.#deps.timers);
    if (ending.kind === "not-begun") return undefined;
    // Kill the container, because killing the client would not stop it.
    if (ending.kind !== "exit") await this.#kill();
    return outcome.result(ending);
  }

  /**
   * Removes the container and its folder, and verifies it. Tries until the daemon has done it, because the gear may run on until then, or until the
   * sandbox stops; then the next start sweeps it. Never raises: failures are logged.
   */
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
    // Wait for both markers, because the two streams arrive independently.
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
        lostSight("the container daemon stopped while the gear ran; its outcome is unknown"),
      );
      return;
    }
    // Without a marker, the launcher and everything else in the container was killed, by the gear or for lack of memory.
    this.#streams?.stdout.flush();
    this.#streams?.stderr.flush();
    this.#finished.resolve({ kind: "exit", exitCode });
  }

  #notStarted(exitCode: number): AppError {
    const { name, image } = this.#plan;
    this.#deps.log.error("cannot start a container", {
      container: name,
      exit: exitCode,
      reason: reasonIn(this.#clientSaid),
    });
    return startFailure(this.#clientSaid, image);
  }

  async #kill(): Promise<void> {
    const outcome = await this.#deps.docker.run(["kill", this.#plan.name], this.#deps.times.killMs);
    if (outcome.exitCode === 0 || /no such container|is not running/i.test(outcome.stderr)) return;
    this.#deps.log.error("cannot kill the container of a gear", {
      container: this.#plan.name,
      reason: reasonOf(outcome),
    });
    throw lostSight(
      "the gear had to be stopped, but the container daemon does not answer; its container is removed once it does",
    );
  }

  async #dispose(): Promise<void> {
    this.#state = "over";
    const exit = await this.#ownEnd();
    const gone = exit !== undefined && this.#wasReady && exit.exitCode !== CLIENT_FAILED;
    if (!gone) this.#client.kill();
    const removed = gone || (await this.#removeContainer(exit === undefined && !this.#wasReady));
    await removeRunFolder(this.#folder, this.#deps.log);
    if (!removed) await this.#removeLate();
  }

  /**
   * Waits for the client to exit. A launcher without a call ends at the end of stdin; the client exits when the container is removed.
   * Undefined when it does not exit soon.
   */
  async #ownEnd(): Promise<Exit | undefined> {
    this.#client.endInput();
    const exit = await within(OWN_END_MS, this.#client.ended);
    return exit === LATE ? undefined : exit;
  }

  async #removeContainer(mayComeLate: boolean): Promise<boolean> {
    const { docker, log, times } = this.#deps;
    const failed = await docker.remove(this.#plan.name, times.commandMs, mayComeLate);
    if (!failed) return true;
    log.error("cannot remove a container; it is tried again until it is gone", {
      container: this.#plan.name,
      reason: reasonOf(failed),
    });
    return false;
  }

  async #removeLate(): Promise<void> {
    const { docker, log, stopping, times, timers } = this.#deps;
    for (;;) {
      await pauseBy(timers, REMOVAL_RETRY_MS, stopping);
      if (stopping.aborted) return;
      if (await docker.remove(this.#plan.name, times.commandMs)) continue;
      log.warn("removed a container that had stayed", { container: this.#plan.name });
      return;
    }
  }
}
