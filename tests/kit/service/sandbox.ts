// A sandbox for a test, of the kind asked for, and short ways to run gears in it. `await using` stops it and sees to its containers.

import { Background } from "../../../src/kit/concurrency/background.ts";
import { systemClock, type Timers } from "../../../src/kit/clock.ts";
import { createLog } from "../../../src/kit/log.ts";
import { randomHex } from "../../../src/kit/random.ts";
import type { DockerTimes } from "../../../src/service/sandbox/container.ts";
import { DockerSandbox } from "../../../src/service/sandbox/docker.ts";
import type {
  Runtime,
  Sandbox,
  SandboxFile,
  SandboxRequest,
  SandboxResult,
} from "../../../src/service/sandbox/sandbox.ts";
import { SubprocessSandbox } from "../../../src/service/sandbox/subprocess.ts";
import type { TestDocker, TestImages } from "../docker.ts";
import { temporaryFolder } from "../folder.ts";
import { RUN_LIMIT_MS } from "../wait-limit.ts";

export type SandboxKind = "cold" | "warm" | "subprocess";

export interface SandboxSetup {
  /** Needed for `cold` and `warm`. */
  docker?: Pick<TestDocker, "images" | "environment"> | undefined;
  images?: Partial<TestImages>;
  times?: DockerTimes;
  idleSeconds?: number;
  environment?: Record<string, string>;
  installation?: string;
  /** Of timeouts, and of the starts of containers. */
  timers?: Timers;
}

interface GearCall extends Partial<Omit<SandboxRequest, "files" | "inputs">> {
  files?: SandboxFile[];
  inputs?: SandboxFile[];
}

export interface TestSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly installation: string;
  /** The parent of run folders: empty again when every run is over. */
  readonly folder: string;
  readonly log: { level: string; message: string; [field: string]: unknown }[];
  /** Runs one program text. */
  run(runtime: Runtime, code: string, call?: GearCall): Promise<SandboxResult>;
  /** Waits for what goes on in the background: removals, and the refill of pools. */
  settled(): Promise<void>;
}

const ENTRYPOINTS: Record<Runtime, string> = {
  python: "main.py",
  node: "main.js",
  bash: "main.sh",
  binary: "main",
};
const POOL_SIZE = 1;

export async function openSandbox(kind: SandboxKind, setup: SandboxSetup = {}): Promise<TestSandbox> {
  const folder = await temporaryFolder();
  const log: TestSandbox["log"] = [];
  const logger = createLog({
    level: "debug",
    format: "json",
    clock: systemClock,
    write: (line) => void log.push(JSON.parse(line)),
  });
  const background = new Background(logger);
  const installation = setup.installation ?? `test-${randomHex(48)}`;
  const environment = {
    PATH: process.env.PATH ?? "",
    ...setup.docker?.environment,
    TMPDIR: folder.path,
    ...setup.environment,
  };
  const parts = {
    environment,
    clock: systemClock,
    log: logger,
    background,
    installation,
    folder: folder.path,
    ...(setup.timers ? { timers: setup.timers } : {}),
  };
  const pool = { size: kind === "warm" ? POOL_SIZE : 0, idleSeconds: setup.idleSeconds ?? 600 };
  const images = { ...setup.docker?.images, ...setup.images };
  const sandbox =
    kind === "subprocess"
      ? new SubprocessSandbox(parts)
      : new DockerSandbox({ ...parts, images, pool, ...(setup.times ? { times: setup.times } : {}) });
  return {
    sandbox,
    installation,
    folder: folder.path,
    log,
    run: (runtime, code, call = {}) => sandbox.run(requestFor(runtime, code, call)),
    settled: async () => {
      // A refill begins a moment after the call that made room.
      await Bun.sleep(100);
      if ((await background.settle(RUN_LIMIT_MS)) === "deadline")
        throw new Error("the sandbox still works in the background");
    },
    async [Symbol.asyncDispose]() {
      await sandbox.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export function file(path: string, content: string | Uint8Array, executable = false): SandboxFile {
  return { path, content: Buffer.from(content as string), executable };
}

function requestFor(runtime: Runtime, code: string, call: GearCall): SandboxRequest {
  const entrypoint = ENTRYPOINTS[runtime];
  return {
    runtime,
    entrypoint,
    files: [file(entrypoint, code, runtime === "binary")],
    inputs: [],
    stdin: "{}",
    timeoutMs: RUN_LIMIT_MS,
    signal: new AbortController().signal,
    output: () => {},
    ...call,
  };
}
