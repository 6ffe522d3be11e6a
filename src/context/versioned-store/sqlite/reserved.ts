// Names that are never documents, wherever they stand in a path and however they are written.

import { foldedPath } from "../../../kit/paths.ts";
import { RESERVED_NAMES } from "../schema.ts";

const FOLDED: ReadonlySet<string> = new Set(RESERVED_NAMES.map(foldedPath));
const PLAIN = /^[\0-\x7f]*$/;
/** Some disks do not see these characters: `.g<U+200C>it` opens `.git` there. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Of a path, or of one segment of it. */
export function isReserved(path: string): boolean {
  return reservedSegment(path) !== undefined;
}

export function reservedSegment(path: string): string | undefined {
  // All reserved names begin with a dot: most paths are done here.
  if (PLAIN.test(path) && !path.startsWith(".") && !path.includes("/.")) return undefined;
  return path.split("/").find((segment) => FOLDED.has(foldedPath(segment).replace(IGNORED, "")));
}
