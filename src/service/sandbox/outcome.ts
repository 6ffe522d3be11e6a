// Collects the outcome of a run for both sandboxes: live chunks for the watcher, and the first part of each stream for the record.

import { OutputCapture } from "../../kit/processes/capture.ts";
import { systemTimers, type Clock, type Timers } from "../../kit/clock.ts";
import type { OutputStream } from "../../kit/processes/process.ts";
import { OUTPUT_BYTES_KEPT_MAX, type SandboxRequest, type SandboxResult } from "./sandbox.ts";

/** 128 + SIGKILL, as in shells. */
const KILLED_EXIT_CODE = 137;

export type Ending =
  | { readonly kind: "exit"; readonly exitCode: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancel" };

export class Outcome {
  readonly #captures = {
    stdout: new OutputCapture(OUTPUT_BYTES_KEPT_MAX),
    stderr: new OutputCapture(OUTPUT_BYTES_KEPT_MAX),
  };
  readonly #clock: Clock;
  readonly #started: number;
  readonly #watch: SandboxRequest["output"];
  #closed = false;

  constructor(clock: Clock, watch: SandboxRequest["output"]) {
    this.#clock = clock;
    this.#started = clock.elapsed();
    this.#watch = watch;
  }

  /** Adds output. Drops output that arrives after the result. */
  add(stream: OutputStream, chunk: Uint8Array): void {
    if (this.#closed) return;
    this.#captures[stream].add(chunk);
    this.#watch(stream, chunk);
  }

  result(ending: Ending): SandboxResult {
    this.#closed = true;
    const { stdout, stderr } = this.#captures;
    return {
      exitCode: ending.kind === "exit" ? ending.exitCode : KILLED_EXIT_CODE,
      stdout: stdout.text(),
      stderr: stderr.text(),
      timedOut: ending.kind === "timeout",
      truncated: stdout.truncated || stderr.truncated,
      durationMs: Math.round(this.#clock.elapsed() - this.#started),
    };
  }
}

/** Resolves with the first of `work`, the run's timeout and cancellation. */
export async function endingOf<T>(
  work: Promise<T>,
  { timeoutMs, signal }: Pick<SandboxRequest, "timeoutMs" | "signal">,
  timers: Timers = systemTimers,
): Promise<T | Ending> {
  const cut = Promise.withResolvers<Ending>();
  const stopTimer = timers.after(timeoutMs, () => cut.resolve({ kind: "timeout" }));
  const cancel = () => cut.resolve({ kind: "cancel" });
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await Promise.race([work, cut.promise]);
  } finally {
    stopTimer();
    signal.removeEventListener("abort", cancel);
  }
}
