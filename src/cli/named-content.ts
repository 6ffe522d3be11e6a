// Reads the content for a document from the file that a flag names.

import { accessProblem } from "../kit/disk/disk.ts";
import { readNamedFile } from "../kit/disk/regular-file.ts";
import { AppError } from "../kit/error.ts";
import { INPUT_MIB_MAX } from "../kit/terminal/stdin.ts";

/** Never reads a device, and no more than from standard input. Raises `invalid`. */
export function contentOf(flag: string, file: string): Uint8Array {
  try {
    return readNamedFile(file, INPUT_MIB_MAX);
  } catch (error) {
    throw new AppError("invalid", `${flag} ${file}: ${accessProblem(error)}`);
  }
}
