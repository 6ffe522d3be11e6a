// Open conflicts of a space, which are its conflict files, and how a person resolves them. Works on a local space and on a server's, because a
// conflict is the same on every copy.

import { AppError, noneIfNotFound } from "../../kit/error.ts";
import { foldedPath } from "../../kit/text/paths.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { exactPatch } from "../files/diff.ts";
import { patchText } from "../files/patch-text.ts";
import type { ReadFile, SpaceDoor } from "../space/door.ts";
import { fileOfCut, mayBeCut, parseConflictName } from "../sync/conflict-names.ts";
import type { FileRecord } from "../versioned-store/schema.ts";

export interface OpenConflict {
  /** The file that all have. */
  readonly path: string;
  /** The file that keeps the other version. */
  readonly copy: string;
  /** The person whose version it is. */
  readonly user: string;
  readonly opened_at: string;
}

interface ShownConflict extends OpenConflict {
  /** The file that all have is gone; the difference is from nothing. */
  readonly deleted: boolean;
  /** From the file that all have to the other version, in unified format; null: not texts, or too different to compare. */
  readonly diff: string | null;
}

export type Resolution = "ours" | "theirs" | { readonly merged: Uint8Array };

interface Resolved extends OpenConflict {
  readonly kept: "ours" | "theirs" | "merged";
  /** The live version of the path now; null: it is deleted. */
  readonly version: number | null;
}

/** Sorted by path. */
export async function openConflicts(space: Pick<SpaceDoor, "list">): Promise<OpenConflict[]> {
  const files = await space.list();
  let byFolded: Map<string, string> | undefined;
  return files
    .flatMap(({ path: copy, state }) => {
      const name = isOnDisk({ state }) ? parseConflictName(copy) : undefined;
      if (!name) return [];
      const { user, opened_at, path } = name;
      const whole = (mayBeCut(copy) ? fileOfCut(copy, namesOf(files)) : undefined) ?? path;
      // The names alone can conflict: the file that all have is then spelled in another way. Most spaces have no conflict, so no map.
      byFolded ??= new Map(files.filter(isOnDisk).map((file) => [foldedPath(file.path), file.path]));
      return [{ path: byFolded.get(foldedPath(whole)) ?? whole, copy, user, opened_at }];
    })
    .sort((a, b) => (a.path + a.copy < b.path + b.copy ? -1 : 1));
}

function isOnDisk({ state }: Pick<FileRecord, "state">): boolean {
  return state !== "missing" && state !== "refused";
}

function* namesOf(files: readonly FileRecord[]): Generator<string> {
  for (const { path } of files) yield path;
}

/** `named`: the file, or its conflict file. Raises `not_found`, and `invalid` for a file with several conflicts. */
export async function showConflict(
  space: Pick<SpaceDoor, "list" | "read">,
  named: string,
): Promise<ShownConflict> {
  const conflict = await conflictOf(space, named);
  const [theirs, ours] = [
    await space.read(conflict.path).catch(noneIfNotFound),
    await space.read(conflict.copy),
  ];
  const deleted = theirs === undefined;
  return {
    ...conflict,
    deleted,
    diff: await diffOf(conflict, theirs?.bytes ?? new Uint8Array(), ours.bytes),
  };
}

/**
 * Writes the result first and deletes the conflict file then, so that an interruption loses nothing. `ours`: the version in the conflict file. Raises as
 * `showConflict`, `conflict` for `theirs` of a deleted file, and `stale` if someone edits meanwhile.
 */
export async function resolveConflict(
  space: SpaceDoor,
  named: string,
  resolution: Resolution,
): Promise<Resolved> {
  const conflict = await conflictOf(space, named);
  const ours = await space.read(conflict.copy);
  const theirs = await space.read(conflict.path).catch(noneIfNotFound);
  if (resolution === "theirs" && !theirs)
    throw new AppError(
      "conflict",
      `${conflict.path} was deleted, so there is no other version to keep; keep ours, which brings it back, or delete ${conflict.copy}`,
      { path: conflict.path, copy: conflict.copy },
    );
  let version = theirs?.version ?? null;
  if (resolution !== "theirs") {
    const content = resolution === "ours" ? ours.bytes : resolution.merged;
    const expected = theirs ? (theirs.version ?? undefined) : null;
    ({ version } = await space.write(conflict.path, content, expected));
  }
  await space.remove(conflict.copy, await recordedVersion(space, ours));
  return { ...conflict, kept: typeof resolution === "string" ? resolution : "merged", version };
}

/** A conflict file that was edited or copied by hand becomes a version before it is deleted. */
async function recordedVersion(space: SpaceDoor, { path, version, bytes }: ReadFile): Promise<number> {
  return version ?? (await space.write(path, bytes, undefined)).version;
}

async function conflictOf(space: Pick<SpaceDoor, "list">, named: string): Promise<OpenConflict> {
  const all = await openConflicts(space);
  const folded = foldedPath(named);
  const found = all.filter(({ path, copy }) => copy === named || foldedPath(path) === folded);
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new AppError("not_found", `${named}: no open conflict; cairn conflict list shows all`);
  throw new AppError(
    "invalid",
    `${named} has ${found.length} conflicts; name one of ${found.map(({ copy }) => copy).join(", ")}`,
  );
}

async function diffOf(
  { path, copy }: OpenConflict,
  from: Uint8Array,
  to: Uint8Array,
): Promise<string | null> {
  const [before, after] = [decodeUtf8(from), decodeUtf8(to)];
  if (before === undefined || after === undefined) return null;
  const patch = await exactPatch({ old: path, new: copy }, before, after);
  return patch ? patchText(patch) : null;
}
