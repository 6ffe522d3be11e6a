// Runs gears as child processes when no container runtime is used. This is no containment: a gear has this server's own access. It only gives
// each run a fresh folder, a clean environment, bounded output and a timeout, and leaves no process behind, even if this process is killed.

import { join } from "node:path";
import { Ongoing } from "../../kit/concurrency/background.ts";
import type { Clock, Timers } from "../../kit/clock.ts";
import { ownExecutable, temporaryDirectory, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { LastWill } from "../../kit/processes/last-will.ts";
import type { Log } from "../../kit/log.ts";
import { startProcess } from "../../kit/processes/process.ts";
import {
  makeRunFolder,
  refuseClashes,
  removeRunFolder,
  writeGearFiles,
  type RunFolder,
} from "./run-folder.ts";
import { endingOf, Outcome, type Ending } from "./outcome.ts";
import type { MissingImage, Runtime, Sandbox, SandboxRequest, SandboxResult } from "./sandbox.ts";

/** Names on PATH, in order of preference. */
const INTERPRETERS: Record<Exclude<Runtime, "binary">, readonly string[]> = {
  python: ["python3", "python"],
  node: ["node"],
  bash: ["bash"],
};

interface SubprocessOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  /** Of timeouts. */
  readonly timers?: Timers;
  readonly log: Log;
}

interface Command {
  readonly words: string[];
  readonly variables: Record<string, string>;
}

export class SubprocessSandbox implements Sandbox {
  readonly kind = "subprocess";
  readonly isolated = false;
  readonly unenforced = [];
  readonly #options: SubprocessOptions;
  readonly #lastWill: LastWill;
  readonly #running = new Ongoing();
  readonly #stopping = new AbortController();

  constructor(options: SubprocessOptions) {
    this.#options = options;
    this.#lastWill = new LastWill(options.environment);
  }

  async decided(): Promise<void> {}

  async missingImages(): Promise<readonly MissingImage[]> {
    return [];
  }

  /** Nothing to prepare: interpreters are looked up at each call, and nothing survives a stop. */
  async prepare(): Promise<void> {}

  /** Nothing to start; an interpreter that is missing is named by the call. */
  async requireRuntime(): Promise<void> {}

  async run(request: SandboxRequest): Promise<SandboxResult> {
    if (this.#stopping.signal.aborted)
      throw new AppError("unavailable", "the service is stopping; no more gears are started");
    refuseClashes(request);
    return this.#running.keep(this.#runIn(request));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running.ended();
    await this.#lastWill.stop();
  }

  async #runIn(request: SandboxRequest): Promise<SandboxResult> {
    const mark = this.#lastWill.nextMark();
    // A child with an empty environment is recognised by this folder.
    const folder = await makeRunFolder(temporaryDirectory(this.#options.environment), mark);
    try {
      await writeGearFiles(folder.gear, request);
      return await this.#execute(request, folder, mark);
    } finally {
      await removeRunFolder(folder, this.#options.log);
    }
  }

  async #execute(request: SandboxRequest, folder: RunFolder, mark: string): Promise<SandboxResult> {
    const { environment, clock } = this.#options;
    const command = commandFor(request, folder, environment);
    const outcome = new Outcome(clock, request.output);
    const signal = AbortSignal.any([request.signal, this.#stopping.signal]);
    await this.#lastWill.ready();
    if (signal.aborted) return outcome.result({ kind: "cancel" });
    const child = await startProcess(command.words, {
      environment,
      variables: {
        ...command.variables,
        HOME: folder.path,
        TMPDIR: folder.path,
        TEMP: folder.path,
        TMP: folder.path,
      },
      workingDirectory: folder.gear,
      mark,
      output: (stream, chunk) => outcome.add(stream, chunk),
    });
    if (!child) return notExecutable(request, outcome);
    this.#lastWill.add(child.pid);
    child.write(request.stdin);
    child.endInput();
    const exit = child.ended.then(({ exitCode }): Ending => ({ kind: "exit", exitCode }));
    const ending = await endingOf(exit, { timeoutMs: request.timeoutMs, signal }, this.#options.timers);
    if (ending.kind !== "exit") {
      child.kill();
      await child.ended;
    }
    this.#lastWill.remove(child.pid);
    return outcome.result(ending);
  }
}

/** Answers like a shell for a file that the system cannot execute. It is the gear's fault, so it is a result. */
function notExecutable(request: SandboxRequest, outcome: Outcome): SandboxResult {
  outcome.add(
    "stderr",
    new TextEncoder().encode(`${request.entrypoint}: cannot be executed on this system\n`),
  );
  return outcome.result({ kind: "exit", exitCode: 126 });
}

/** Raises `unavailable`, naming the missing interpreter. */
function commandFor(
  { runtime, entrypoint }: SandboxRequest,
  folder: RunFolder,
  environment: Environment,
): Command {
  if (runtime === "binary") return { words: [join(folder.gear, entrypoint)], variables: {} };
  // Use a relative path, so that a gear's messages do not reveal this server's paths.
  const file = `./${entrypoint}`;
  const names = INTERPRETERS[runtime];
  for (const name of names) {
    const found = Bun.which(name, { PATH: environment.PATH ?? "" });
    if (found !== null) return { words: [found, file], variables: {} };
  }
  // This program contains Bun, which runs Node programs. It must not install packages.
  if (runtime === "node")
    return { words: [ownExecutable(), "--no-install", file], variables: { BUN_BE_BUN: "1" } };
  throw new AppError(
    "unavailable",
    `gears of runtime ${runtime} need ${names.join(" or ")} on the PATH of this service; install it`,
  );
}
