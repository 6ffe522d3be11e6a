// The rule for the files of a gear: what is stored, and what a run writes, is one tree on any file system.

import { foldedPath } from "../../kit/text/paths.ts";

/** The folder of workspace files that a run receives. */
export const INPUTS_FOLDER = "inputs";

/** `twice`: another file has the same name on some file systems. `directory`: another file is below it. `inputs`: it is in the inputs folder. */
interface FileClash {
  readonly kind: "twice" | "directory" | "inputs";
  readonly path: string;
}

/** `inputs`: in their folder. Undefined: the files are one tree, and no input replaces a file of the gear. */
export function clashOf(files: readonly string[], inputs: readonly string[] = []): FileClash | undefined {
  const taken = new Map<string, string>();
  for (const path of [...files, ...inputs]) {
    const key = foldedPath(path);
    if (taken.has(key)) return { kind: "twice", path };
    taken.set(key, path);
  }
  const own = files.find((path) => foldedPath(path).split("/")[0] === INPUTS_FOLDER);
  if (own !== undefined) return { kind: "inputs", path: own };
  for (const key of taken.keys())
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const above = taken.get(key.slice(0, end));
      if (above !== undefined) return { kind: "directory", path: above };
    }
  return undefined;
}
