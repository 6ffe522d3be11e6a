// Which file of a space a conflict file belongs to.

import type { FileEngine } from "../versioned-store/engine.ts";
import { fileOfCut, mayBeCut, parseConflictName, type ConflictName } from "./conflict-names.ts";

const MARK = ".conflict-";
/** Above every name. */
const LAST = "\u{10ffff}";
/** Files whose names are cut to the same one. */
const ALIKE_MAX = 20;

/** As `parseConflictName`, with the whole name of a file whose conflict file had no room for it. `sees`: whether it may be named. */
export async function conflictIn(
  engine: Pick<FileEngine, "liveFiles">,
  copy: string,
  sees: (path: string) => boolean = () => true,
): Promise<ConflictName | undefined> {
  const name = parseConflictName(copy);
  if (!name || !mayBeCut(copy)) return name;
  const beginning = copy.slice(0, copy.lastIndexOf(MARK));
  const files = await engine.liveFiles(beginning, `${beginning}${LAST}`, ALIKE_MAX);
  const paths = files.map(({ path }) => path).filter((path) => sees(path));
  return { ...name, path: fileOfCut(copy, paths) ?? name.path };
}
