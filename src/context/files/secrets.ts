// Keeps secrets out of a space: scans content for keys and passwords of known patterns before the transaction that writes the same bytes. A line
// marked as checked passes. Small texts are scanned inline, larger ones by a worker.

import { turnOfOthers } from "../../kit/clock.ts";
import type { Job } from "../../kit/workers/job.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { FILE_BYTES_CEILING } from "../versioned-store/schema.ts";
import type { FoundSecret, Scan } from "./secret-rules.ts";

interface Finding extends FoundSecret {
  /** False: the write is reported and allowed. */
  readonly blocks: boolean;
}

interface ScanInput {
  readonly path: string;
  readonly content: Uint8Array;
}

/** The slowest known text takes 20 ms per MiB on a core of 2026. */
const DEADLINE_MS = 20_000;
/** A hand-over to a worker costs as much as scanning this many bytes. */
const AT_ONCE_BYTES_MAX = 8 * 1024;
/** The bytes of small texts scanned between two yields: about 5 ms for the slowest text. */
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
  /** Scanned inline since the last yield. */
  #bytes = 0;

  constructor(mode: "block" | "warn" | "off", workers: WorkerPool) {
    this.#mode = mode;
    this.#workers = workers;
  }

  /** Returns the first finding; undefined if there is none, the content is not text, or the scan is off. Raises what the worker pool raises. */
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
