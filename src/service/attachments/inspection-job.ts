// The job that finds out what an uploaded file is, and reads its text. The worker reads the file itself, so that its bytes cross no threads.

import type { Job } from "../../kit/workers/job.ts";
import type { AttachmentKind } from "./schema.ts";

/** For what a hostile PDF makes of one page; reading the others stops by itself (pdf-text.ts). */
const DEADLINE_MS = 60_000;
/** A PDF of 20 MB with large pictures takes less than half of it; one that was made to unpack has no end. */
const MEMORY_BYTES_MAX = 768 * 1024 * 1024;

export interface Inspected {
  readonly kind: AttachmentKind;
  readonly mediaType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly pages: number | null;
  readonly text: string | null;
  readonly textTokens: number | null;
}

export interface Inspection {
  readonly path: string;
  /** For errors. */
  readonly name: string;
}

export const INSPECTION_JOB: Job<Inspection, Inspected> = {
  name: "reading the attachment",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: 64 * 1024,
  memoryBytesMax: MEMORY_BYTES_MAX,
  sizeOf: ({ path, name }) => path.length + name.length,
};
