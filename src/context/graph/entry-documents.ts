// The documents where reading begins. Nothing has to link to them.

import { foldedPath } from "../../kit/text/paths.ts";
import { INDEX_PATH } from "../spaces/space-index.ts";

/** At the top of a space, in the order of reading. */
const ENTRIES: readonly string[] = ["context-entry.md", "readme.md", "index.md"];
/** Shown with their folder. */
const FOLDER_PAGE = /(?:^|\/)(?:readme|index)\.(?:md|markdown|mdx|txt)$/;

/** Returns the place of an entry document among those of a space; undefined: it is not one. */
export function entryPlace(path: string): number | undefined {
  const place = ENTRIES.indexOf(foldedPath(path));
  return place < 0 ? undefined : place;
}

/** The generated list of all documents. */
export function isListOfAll(path: string): boolean {
  return foldedPath(path) === INDEX_PATH;
}

/** Entry documents, the index of the space, and the page of a folder are found without a link. */
export function isFoundWithoutLink(path: string): boolean {
  const folded = foldedPath(path);
  return ENTRIES.includes(folded) || isListOfAll(path) || FOLDER_PAGE.test(folded);
}
