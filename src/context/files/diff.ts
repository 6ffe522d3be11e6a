// Compares two versions of a text. A worker does the work, within bounds: two texts that differ too much get a coarse diff.

import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { Job } from "../../kit/workers/job.ts";
import { fileError } from "../versioned-store/file-error.ts";
import { patchText } from "./patch-text.ts";
import { linesIn, wholeBlock } from "./whole-block.ts";

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
/** Counted instead of measured: the same texts have the same answer on a busy machine. About two seconds of work. */
const COMPARISONS_MAX = 25_000_000;
/** A comparison of lines with this many characters counts as two. */
const COMPARED_CHARACTERS = 64;
/** Of both versions together. An exact comparison takes some 200 bytes of memory for each. */
const LINES_MAX = 500_000;
export const CONTEXT_LINES_DEFAULT = 3;
export const CONTEXT_LINES_MAX = 10_000;

export const DIFF_JOB: Job<DiffInput, Uint8Array> = {
  name: "diff",
  perCaller: "one",
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
  const [before, after] = [textOf(path, from), textOf(path, to)];
  const versions = { path, from: from.version, to: to.version };
  // After a tab, programs that apply patches read no more of the name.
  const old = from.version === 0 ? "/dev/null" : `${path}\t${nameOf(from)}`;
  const names = { old, new: `${path}\t${nameOf(to)}` };
  const patch = await exactPatch(names, before, after, context);
  if (!patch) return { ...versions, coarse: true, ...wholeBlock(names, before, after, context) };
  const count = (sign: string) =>
    patch.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return {
    ...versions,
    added: count("+"),
    removed: count("-"),
    coarse: false,
    text: await patchText(patch),
  };
}

const TOO_DIFFERENT = new Error("the texts differ too much");

function isLong(before: string, after: string): boolean {
  return linesIn(before, 0, before.length) + linesIn(after, 0, after.length) > LINES_MAX;
}

/** Undefined: the texts are too long or too different. */
export async function exactPatch(
  names: { readonly old: string; readonly new: string },
  before: string,
  after: string,
  context = CONTEXT_LINES_DEFAULT,
) {
  if (isLong(before, after)) return undefined;
  const { structuredPatch } = await import("diff");
  let compared = 0;
  const comparator = (left: string, right: string) => {
    compared += 1 + Math.floor(left.length / COMPARED_CHARACTERS);
    if (compared > COMPARISONS_MAX) throw TOO_DIFFERENT;
    return left === right;
  };
  const bounds = { context, maxEditLength: EDITS_MAX, comparator };
  try {
    return structuredPatch(names.old, names.new, before, after, undefined, undefined, bounds);
  } catch (error) {
    if (error === TOO_DIFFERENT) return undefined;
    throw error;
  }
}

function textOf(path: string, side: Side): string {
  const text = decodeUtf8(side.bytes);
  if (text === undefined) throw fileError("not_text", path, `${nameOf(side)} is not UTF-8 text`);
  return text;
}

function nameOf({ version }: Pick<Side, "version">): string {
  return version === null ? "on disk" : `v${version}`;
}
