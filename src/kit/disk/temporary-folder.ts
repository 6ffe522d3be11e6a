// Creates a private directory for temporary files where the environment wants them, which may be missing or belong to somebody else.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../error.ts";
import { directoryProblem } from "./disk.ts";

/** The caller removes it. Its name begins with `prefix`. Raises `refused` with the place. */
export function temporaryFolder(parent: string, prefix: string): string {
  try {
    return mkdtempSync(join(parent, prefix));
  } catch (error) {
    throw new AppError(
      "refused",
      `cannot create temporary files in ${parent}: ${directoryProblem(error)}; set TMPDIR to a directory that you can write to`,
    );
  }
}
