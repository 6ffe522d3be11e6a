// Creates a private directory for temporary files where the environment wants them, which may be missing or belong to somebody else.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemCode } from "../error.ts";
import { problemWithoutPlace } from "./disk.ts";

/** The caller removes it. Its name begins with `prefix`. Raises `refused` with the place. */
export function temporaryFolder(parent: string, prefix: string): string {
  try {
    return mkdtempSync(join(parent, prefix));
  } catch (error) {
    const reason = MISSING[systemCode(error) ?? ""] ?? problemWithoutPlace(error);
    throw new AppError(
      "refused",
      `cannot create temporary files in ${parent}: ${reason}; set TMPDIR to a directory that you can write to`,
    );
  }
}

const MISSING: Readonly<Record<string, string>> = {
  ENOENT: "no such directory",
  ENOTDIR: "not a directory",
};
