// Keeps secrets out of a space: what is about to be written is looked through for keys and passwords of known shapes. A line that a person
// marked as checked passes. Small texts are looked through at once, larger ones by a worker: always before the transaction that writes the
// same bytes.

import { turnOfOthers } from "../../kit/clock.ts";
import type { Job } from "../../kit/workers/job.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { FILE_BYTES_CEILING } from "../versioned-store/schema.ts";
import type { FoundSecret, Scan } from "./secret-rules.ts";

export interface Finding extends FoundSecret {
  /** False: it is told and let through. */
  readonly blocks: boolean;
}

export interface ScanInput {
  readonly path: string;
  readonly content: Uint8Array;
}

/** The slowest text that is known takes 20 ms for a MiB, on one core of 2026. */
const DEADLINE_MS = 20_000;
/** A worker costs as much as a scan of so many bytes. */
const AT_ONCE_BYTES_MAX = 8 * 1024;
/** Of small texts, scanned one after the other: about 5 ms of the slowest. */
const STRETCH_BYTES = 64 * 1024;

export const SCAN_JOB: Job<ScanInput, FoundSecret | undefined> = {
  name: "secret scan",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: FILE_BYTES_CEILING,
  sizeOf: ({ content }) => content.length,
};

export class SecretScan {
  readonly #mode: "block" | "warn" | "off";
  readonly #workers: WorkerPool;
  #scan: Promise<Scan> | undefined;
  /** At once, since others last had their turn. */
  #bytes = 0;

  constructor(mode: "block" | "warn" | "off", workers: WorkerPool) {
    this.#mode = mode;
    this.#workers = workers;
  }

  /** The first finding; undefined when there is none, the content is no text, or the scan is off. Raises what the worker pool raises. */
  async find(by: string, { path, content }: ScanInput): Promise<Finding | undefined> {
    if (this.#mode === "off") return undefined;
    const found =
      content.length > AT_ONCE_BYTES_MAX
        ? await this.#workers.run(SCAN_JOB, { path, content }, { by })
        : await this.#atOnce({ path, content });
    return found && { ...found, blocks: this.#mode === "block" };
  }

  async #atOnce(input: ScanInput): Promise<FoundSecret | undefined> {
    const scan = await (this.#scan ??= import("./secret-rules.ts").then(({ loadScan }) => loadScan()));
    this.#bytes += input.content.length;
    if (this.#bytes > STRETCH_BYTES) {
      await turnOfOthers();
      this.#bytes = 0;
    }
    return scan(input);
  }
}
