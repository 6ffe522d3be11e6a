// The spelling of a path on disk: files copied from another system may use another Unicode form.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "./walk.ts";

const ASCII = /^[\0-\x7f]*$/;

/** Returns the path as given if nothing there has another spelling. */
export function nameOnDisk(root: string, path: string): string {
  if (ASCII.test(path)) return path;
  let found = "";
  for (const segment of path.split("/")) {
    const exact = found === "" ? segment : `${found}/${segment}`;
    const stats = lstatSync(join(root, exact), { throwIfNoEntry: false });
    const mayHold = !stats && !ASCII.test(segment) && isDirectory(join(root, found));
    const other =
      mayHold && entriesOf(join(root, found)).find(({ name }) => name.normalize("NFC") === segment)?.name;
    found = other ? (found === "" ? other : `${found}/${other}`) : exact;
  }
  return found;
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
