// Compares two versions of a text. A worker does the work, within bounds: two texts that differ too much get a coarse diff.

import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { Job } from "../../kit/workers/job.ts";
import { fileError } from "../versioned-store/file-error.ts";
import { patchText } from "./patch-text.ts";

export interface FileDiff {
  readonly path: string;
  readonly from: number;
  /** Null: the file in the working tree, which has an edit without a version. */
  readonly to: number | null;
  readonly added: number;
  readonly removed: number;
  /** Too different to compare line by line: everything between the common start and end is one block. */
  readonly coarse: boolean;
  /** In unified format. */
  readonly text: string;
}

interface DiffInput {
  readonly path: string;
  /** Lines around each change. */
  readonly context?: number | undefined;
  readonly from: Side & { readonly version: number };
  readonly to: Side;
}

interface Side {
  readonly version: number | null;
  readonly bytes: Uint8Array;
}

/** The most bytes of both versions together. */
const DIFF_BYTES_MAX = 16 * 1024 * 1024;
const DEADLINE_MS = 10_000;
/** The most added and removed lines: the time grows quadratically. */
const EDITS_MAX = 2_000;
const COMPARE_MS_MAX = 2_000;
export const CONTEXT_LINES_DEFAULT = 3;
export const CONTEXT_LINES_MAX = 10_000;

export const DIFF_JOB: Job<DiffInput, Uint8Array> = {
  name: "diff",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: DIFF_BYTES_MAX,
  sizeOf: ({ from, to }) => from.bytes.length + to.bytes.length,
};

/** Returns a FileDiff as JSON, because serializing a long one takes time too. Raises `not_text`. */
export async function encodedDiff(input: DiffInput): Promise<Uint8Array> {
  return new TextEncoder().encode(JSON.stringify(await diffOf(input)));
}

/** Raises `not_text`. */
export async function diffOf({
  path,
  from,
  to,
  context = CONTEXT_LINES_DEFAULT,
}: DiffInput): Promise<FileDiff> {
  const { structuredPatch } = await import("diff");
  const [before, after] = [textOf(path, from), textOf(path, to)];
  const names = [`${path} ${nameOf(from)}`, `${path} ${nameOf(to)}`] as const;
  const bounds = { context, maxEditLength: EDITS_MAX, timeout: COMPARE_MS_MAX };
  const exact = structuredPatch(...names, before, after, undefined, undefined, bounds);
  const patch = exact ?? {
    ...structuredPatch(...names, "", "", undefined, undefined, bounds)!,
    hunks: [wholeBlock(before, after, context)],
  };
  const count = (sign: string) =>
    patch.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return {
    path,
    from: from.version,
    to: to.version,
    added: count("+"),
    removed: count("-"),
    coarse: exact === undefined,
    text: await patchText(patch),
  };
}

function textOf(path: string, side: Side): string {
  const text = decodeUtf8(side.bytes);
  if (text === undefined) throw fileError("not_text", path, `${nameOf(side)} is not UTF-8 text`);
  return text;
}

function nameOf({ version }: Pick<Side, "version">): string {
  return version === null ? "on disk" : `v${version}`;
}

/** Returns one hunk with everything between the common start and end. */
function wholeBlock(before: string, after: string, context: number) {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const leading = Math.min(start, context);
  const trailing = Math.min(end, context);
  const first = start - leading;
  const around = leading + trailing;
  return {
    oldStart: first + 1,
    oldLines: old.length - start - end + around,
    newStart: first + 1,
    newLines: now.length - start - end + around,
    lines: [
      ...signed(" ", old.slice(first, start)),
      ...signed("-", old.slice(start, old.length - end)),
      ...signed("+", now.slice(start, now.length - end)),
      ...signed(" ", old.slice(old.length - end, old.length - end + trailing)),
    ],
  };
}

/** Keeps the line feeds; the last line may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function signed(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"],
  );
}
