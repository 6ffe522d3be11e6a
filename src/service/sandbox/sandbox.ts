// The sandbox of gears: one interface for containers (docker.ts) and plain child processes (subprocess.ts).
// A gear's failure is returned as data; only a failure of the sandbox itself raises.

import { AppError } from "../../kit/error.ts";
import type { runtimes } from "../config/schema.ts";

export type Runtime = (typeof runtimes)[number];

/** Fixed limits of the specification, not configurable per gear. */
export const SANDBOX_MEMORY_MB = 512;
export const SANDBOX_PROCESSORS = 1;
export const SANDBOX_PROCESSES = 256;
export type SandboxLimit = "memory" | "processors" | "processes";
/** Limit of each stream; the rest is dropped. */
export const OUTPUT_BYTES_KEPT_MAX = 1024 * 1024;

export interface SandboxFile {
  /** Relative, with `/` between segments, checked by kit/paths. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
}

export interface SandboxRequest {
  readonly runtime: Runtime;
  /** The path of one of `files`. */
  readonly entrypoint: string;
  /** The gear itself: the exact bytes whose hash was approved. */
  readonly files: readonly SandboxFile[];
  /** Workspace files that the call names, read-only under `inputs/` in the working directory. */
  readonly inputs: readonly SandboxFile[];
  /** The arguments as JSON. */
  readonly stdin: string;
  readonly timeoutMs: number;
  /** Aborting it kills the gear. */
  readonly signal: AbortSignal;
  /** Receives live output as raw bytes. A slow consumer must not delay the gear beyond its timeout. */
  readonly output: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

export interface SandboxResult {
  /** 137 when it was killed (timeout, memory, cancellation). */
  readonly exitCode: number;
  /** UTF-8, with invalid bytes replaced. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** True if output was dropped. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** An image without which the gears of these runtimes cannot run. */
export interface MissingImage {
  readonly image: string;
  readonly runtimes: readonly Runtime[];
  /** The problem and its remedy, as a clause. */
  readonly reason: string;
  /** Provides the image; null when that would not help, or not yet. */
  readonly command: string | null;
}

export interface Sandbox {
  readonly kind: "docker" | "subprocess";
  /** If false, a gear has this server's own access, and every place that shows gears says so. */
  readonly isolated: boolean;
  /** Limits that the container daemon does not apply. Empty until `prepare` has asked it. */
  readonly unenforced: readonly SandboxLimit[];
  /** Resolves when `isolated` is final. With `auto`, probing the daemon takes a few seconds at most. */
  decided(): Promise<void>;
  /**
   * Checks and pulls images, sweeps orphans of earlier starts, and fills the pools. Runs in the background after start. `hasGears`: without any, no
   * container waits and nothing is put in the data directory before the first run.
   */
  prepare(hasGears: boolean): Promise<void>;
  /** Looks again for images that were missing, and returns those that still are. */
  missingImages(): Promise<readonly MissingImage[]>;
  /** Raises `unavailable`, as `run` does, if no container of this runtime can start. */
  requireRuntime(runtime: Runtime): Promise<void>;
  /** Raises `unavailable` when the sandbox itself fails (no image, daemon gone); see `mayHaveRun`. Every step has a deadline. */
  run(request: SandboxRequest): Promise<SandboxResult>;
  /** Kills running gears and empties the pools. */
  stop(): Promise<void>;
}

/** The failure of a sandbox after the gear began: the gear may have done its work. */
export function lostSight(message: string): AppError {
  return new AppError("unavailable", message, { outcome: "unknown" });
}

export function mayHaveRun(error: unknown): error is AppError {
  return error instanceof AppError && error.details?.["outcome"] === "unknown";
}
