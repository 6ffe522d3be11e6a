// Sizes and times of a node's files at its end, so that it notices at its next start that someone replaced one of them: the log does not have that, and
// entries applied to another file than the one they were made from would damage it. In a file of its own, which other versions do not read.

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { SECOND_MS } from "../clock.ts";
import { placeBelow } from "../disk/place-below.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { Log } from "../log.ts";
import { closed } from "../schema.ts";
import { parsedJson } from "../text/parsed-json.ts";
import { writeState, type LocalState } from "./local-state.ts";
import { removeDurably } from "./replica-files.ts";

const NAME = "replication-files.json";

const Marks = closed({
  /** The entry that the files show, and its hash. */
  seq: Type.Integer(),
  hash: Type.String(),
  /** By path in the directory: size and time of the last change. */
  files: Type.Record(Type.String(), Type.String()),
});

interface MarkedFiles {
  readonly directory: string;
  /** Returns the absolute paths of the files that the log describes. */
  readonly files: () => readonly string[];
}

/** Called when a node has ended well. Raises errors of the disk. */
export async function markFiles(
  { directory, files }: MarkedFiles,
  { seq, hash }: Pick<LocalState, "seq" | "hash">,
): Promise<void> {
  const marks: Static<typeof Marks> = { seq, hash, files: await marksOf(directory, files()) };
  await replaceFile(join(directory, NAME), JSON.stringify(marks));
}

/**
 * Returns the state of the files: `ahead` if one changed since the node ended, because they are not what the state says then, and the log replaces
 * them. Called once this node follows its log: the marks are gone afterwards. Raises errors of the disk.
 */
export async function proveFiles(
  { directory, files, log }: MarkedFiles & { readonly log: Log },
  state: LocalState,
): Promise<LocalState> {
  const changed = state.files === "exact" ? await changedFile({ directory, files }, state) : undefined;
  const proven: LocalState = changed === undefined ? state : { ...state, files: "ahead" };
  if (changed !== undefined) {
    log.warn("a file was changed while this node was stopped; copying all data again", { file: changed });
    await writeState(directory, proven);
  }
  // From here on, the files change.
  await removeDurably(join(directory, NAME));
  return proven;
}

/** Undefined also if nothing is known. */
async function changedFile(
  { directory, files }: MarkedFiles,
  { seq, hash }: LocalState,
): Promise<string | undefined> {
  const path = join(directory, NAME);
  const marks: unknown = existsSync(path) ? parsedJson(await readFile(path, "utf8")) : undefined;
  if (!Value.Check(Marks, marks) || marks.seq !== seq || marks.hash !== hash) return undefined;
  const now = await marksOf(directory, files());
  return Object.keys({ ...marks.files, ...now }).find((file) => marks.files[file] !== now[file]);
}

async function marksOf(directory: string, files: readonly string[]): Promise<Record<string, string>> {
  const marks: Record<string, string> = {};
  for (const path of files) {
    const found = await stat(path).catch(() => undefined);
    // Whole seconds, because a directory that moves to another disk, in an archive for example, keeps no more.
    const seconds = found && Math.floor(found.mtimeMs / SECOND_MS);
    if (found) marks[placeBelow(directory, path)] = `${found.size} ${seconds}`;
  }
  return marks;
}
