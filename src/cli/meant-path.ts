// Adds advice to the refusal of a path: the file that was probably meant, among those that the caller may see, or the reason why this one is not
// there.

import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { ListedFile } from "../context/files/listing-schema.ts";
import type { SpaceDoor } from "../context/space/door.ts";
import { placeBelow } from "../kit/disk/place-below.ts";
import { workingDirectory } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { isSimilar, meantBy } from "../kit/terminal/suggestion.ts";
import { foldedPath, pathProblem } from "../kit/text/paths.ts";
import { nextCommand } from "./next-command.ts";

/** As a shell completes the names of files. */
const HERE = /^(?:\.\/)+/;
/** Names a file from the working directory or the root of the disk, where paths of a space begin at its top. */
const OF_THE_DISK = /^\.{0,2}[/\\]|^[a-z]:|\\/i;

type Given = Readonly<Record<string, unknown>> & { readonly path?: unknown };

/** Runs `work`. Its other errors are unchanged, and so is this one if there is nothing to add about `given.path`. */
export async function withMeantPath<T>(
  space: SpaceDoor,
  given: Given,
  work: (space: SpaceDoor) => Promise<T>,
): Promise<T> {
  const { path } = given;
  try {
    return await work(space);
  } catch (error) {
    if (!(error instanceof AppError) || typeof path !== "string") throw error;
    const isOfTheDisk = error.code === "invalid" && OF_THE_DISK.test(path);
    if (error.code !== "not_found" && !isOfTheDisk) throw error;
    // Without the list there is no suggestion, and the first refusal says more than this one.
    const files = await space.list({ deleted: true }).catch(() => []);
    const there = files.find((file) => file.path === path);
    if (there) throw withReason(error, there, given);
    const live = files.flatMap(({ path: one, state }) => (state === "deleted" ? [] : [one]));
    const fromHere = pathFromHere(space.place, path);
    const meant = meantPath(live, path, fromHere) ?? (isOfTheDisk ? fromHere : undefined);
    throw meant === undefined
      ? error
      : new AppError(error.code, error.message, { ...error.details, did_you_mean: meant });
  }
}

function withReason(error: AppError, { path, state, refused }: ListedFile, given: Given): AppError {
  const reason =
    state === "deleted"
      ? `it was deleted; restore it with ${nextCommand(["file", "undelete"], [path], given)}`
      : refused && `the file on disk is refused: ${refused.reason}`;
  return reason === undefined
    ? error
    : new AppError(error.code, `${error.message}; ${reason}`, { ...error.details, state });
}

/** The path in a folder's space of what a program of this machine means by `written`. Undefined: it is not in there. */
function pathFromHere(place: string, written: string): string | undefined {
  const here = workingDirectory();
  if (here === undefined || !isAbsolute(place)) return undefined;
  return [place, realpathSync(place)]
    .map((top) => placeBelow(top, resolve(here, written)))
    .find((path) => pathProblem(path) === undefined);
}

function meantPath(
  paths: readonly string[],
  written: string,
  fromHere: string | undefined,
): string | undefined {
  if (fromHere !== undefined && paths.includes(fromHere)) return fromHere;
  const path = written.replace(HERE, "");
  const folded = foldedPath(path);
  return (
    paths.find((one) => foldedPath(one) === folded) ??
    meantBy(
      path,
      paths.filter((one) => one.startsWith(path) || mayMean(path, one)),
      paths.filter((one) => one.endsWith(`/${path}`)),
    )
  );
}

/** The extension says nothing, and another date or number is another file. */
function mayMean(written: string, path: string): boolean {
  return isSimilar(stemOf(written), stemOf(path)) && withoutDigits(written) !== withoutDigits(path);
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}

function withoutDigits(path: string): string {
  return path.replace(/[0-9]/g, "0");
}
