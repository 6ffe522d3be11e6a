// Adds to the refusal of a missing file the one that was probably meant, of those that the caller may see.

import type { SpaceDoor } from "../context/space/door.ts";
import { AppError } from "../kit/error.ts";
import { isSimilar, meantBy } from "../kit/terminal/suggestion.ts";
import { foldedPath } from "../kit/text/paths.ts";

/** As a shell completes the names of files. */
const HERE = /^(?:\.\/)+/;

/** Runs `work`. Its other errors are unchanged, and so is this one if no path resembles `path`. */
export async function withMeantPath<T>(
  space: SpaceDoor,
  path: unknown,
  work: (space: SpaceDoor) => Promise<T>,
): Promise<T> {
  try {
    return await work(space);
  } catch (error) {
    if (!(error instanceof AppError) || typeof path !== "string") throw error;
    const isMissing = error.code === "not_found" || (error.code === "invalid" && HERE.test(path));
    const meant = isMissing ? await meantPath(space, path) : undefined;
    throw meant === undefined
      ? error
      : new AppError(error.code, error.message, { ...error.details, did_you_mean: meant });
  }
}

async function meantPath(space: SpaceDoor, written: string): Promise<string | undefined> {
  // Without the list there is no suggestion, and the first refusal says more than this one.
  const files = await space.list({}).catch(() => []);
  const paths = files.map((file) => file.path);
  if (paths.includes(written)) return undefined;
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
