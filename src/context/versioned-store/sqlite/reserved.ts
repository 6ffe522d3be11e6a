// Names that are never documents, anywhere in a path and in any spelling.

import { foldedPath } from "../../../kit/text/paths.ts";
import { RESERVED_NAMES } from "../schema.ts";

const FOLDED: ReadonlySet<string> = new Set(RESERVED_NAMES.map(foldedPath));
const PLAIN = /^[\0-\x7f]*$/;
/** Some file systems ignore these characters: `.g<U+200C>it` opens `.git`. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Reports whether any segment of the path is reserved. */
export function isReserved(path: string): boolean {
  return reservedSegment(path) !== undefined;
}

export function reservedSegment(path: string): string | undefined {
  // Fast path: all reserved names begin with a dot.
  if (PLAIN.test(path) && !path.startsWith(".") && !path.includes("/.")) return undefined;
  return path.split("/").find((segment) => FOLDED.has(foldedPath(segment).replace(IGNORED, "")));
}
