// Compares two documents of a space for a page, in a worker, and keeps what a page shows within bounds.

import { AppError, noneIfNotFound } from "../../kit/error.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Caller } from "../identity/caller.ts";
import { DIFF_JOB, type FileDiff } from "./diff.ts";
import type { Files } from "./files.ts";

/** A longer difference helps nobody on a page, and reading it would hold the serving thread. */
const SHOWN_BYTES_MAX = 256 * 1024;

/** Raises `too_large`. */
export function shownDiff(encoded: Uint8Array): FileDiff {
  if (encoded.length > SHOWN_BYTES_MAX) throw tooLong();
  return JSON.parse(new TextDecoder().decode(encoded)) as FileDiff;
}

/** For a difference from anywhere. Raises `too_large`. */
export function requireShown({ text }: FileDiff): void {
  if (text.length > SHOWN_BYTES_MAX) throw tooLong();
}

function tooLong(): AppError {
  return new AppError("too_large", "the difference is too long for a page; use cairn file diff", {
    limit_bytes: SHOWN_BYTES_MAX,
  });
}

/** From `path`, which may be deleted, to `other`. Raises as `Files.read` and `Files.diff` do, and `too_large`. */
export async function compareFiles(
  { files, workers }: { readonly files: Files; readonly workers: WorkerPool },
  caller: Caller,
  space: string,
  { path, other }: { readonly path: string; readonly other: string },
): Promise<FileDiff> {
  const to = await files.read(caller, space, other);
  const from = await files.read(caller, space, path).catch(noneIfNotFound);
  const before = { version: from?.version ?? 0, bytes: from?.bytes ?? new Uint8Array() };
  const after = { version: to.version ?? null, bytes: to.bytes };
  const input = { path: other, from: before, to: after };
  return shownDiff(await workers.run(DIFF_JOB, input, { by: caller.name }));
}
