// The path of a file below a directory as spaces, logs and archives write it: with / as separator, on Windows, too.

import { relative, sep } from "node:path";

/** `path`: absolute. Begins with `..` if it is not below the directory. */
export function placeBelow(directory: string, path: string): string {
  return relative(directory, path).replaceAll(sep, "/");
}
