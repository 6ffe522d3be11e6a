// Where gears run: one interface, with containers (docker.ts) or plain child processes (subprocess.ts) behind it.
// What a gear does is returned data; only a sandbox that cannot work raises.

import type { runtimes } from "../config/schema.ts";

export type Runtime = (typeof runtimes)[number];

/** Fixed limits of the specification; there is no per-gear setting. */
export const SANDBOX_MEMORY_MB = 512;
export const SANDBOX_PROCESSORS = 1;
export const SANDBOX_PROCESSES = 256;
/** Kept of each stream; the rest is counted and dropped. */
export const OUTPUT_BYTES_KEPT_MAX = 1024 * 1024;

export interface SandboxFile {
  /** Relative, `/` between segments, proven by kit/paths. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
}

export interface SandboxRequest {
  readonly runtime: Runtime;
  /** One of `files`. */
  readonly entrypoint: string;
  /** The gear itself: the exact bytes whose hash was approved. */
  readonly files: readonly SandboxFile[];
  /** Files of the workspace that the call names; under `inputs/` of the working directory, read-only. */
  readonly inputs: readonly SandboxFile[];
  /** The arguments, JSON. */
  readonly stdin: string;
  readonly timeoutMs: number;
  /** Aborted: the gear is killed and the result says so. */
  readonly signal: AbortSignal;
  /** Live output, as it comes, raw bytes; slow consumers must not slow the gear beyond its time-out. */
  readonly output: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

export interface SandboxResult {
  /** 137 when it was killed (time-out, memory, cancel). */
  readonly exitCode: number;
  /** UTF-8; invalid bytes replaced. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** Some output was dropped. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

export interface Sandbox {
  readonly kind: "docker" | "subprocess";
  /** False: a gear has this server's own access, and every place that shows gears says so. */
  readonly isolated: boolean;
  /** Resolves when `isolated` is final: `auto` asks the container daemon first, in a few seconds at most. */
  decided(): Promise<void>;
  /** Checks and fetches what is needed (images), sweeps orphans of earlier runs, fills the pools. In the background after the start. */
  prepare(): Promise<void>;
  /** Raises `unavailable` when the sandbox itself cannot run anything (no image, daemon gone); a deadline bounds every step. */
  run(request: SandboxRequest): Promise<SandboxResult>;
  /** Kills what runs, empties the pools. */
  stop(): Promise<void>;
}
