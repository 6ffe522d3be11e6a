// The documents where reading begins. Nothing has to link to them.

import { foldedPath } from "../../kit/paths.ts";

/** At the top of a space, in the order of reading. */
const ENTRIES: readonly string[] = ["context-entry.md", "readme.md", "index.md"];
/** The list of all documents at the top of a space: being in it does not make a document part of the whole. */
const LIST_OF_ALL = "space-index.md";
/** Shown with their folder. */
const FOLDER_PAGE = /(?:^|\/)(?:readme|index)\.(?:md|markdown|mdx|txt)$/;

/** Returns the place of an entry document among those of a space; undefined: it is not one. */
export function entryPlace(path: string): number | undefined {
  const place = ENTRIES.indexOf(foldedPath(path));
  return place < 0 ? undefined : place;
}

export function isListOfAll(path: string): boolean {
  return foldedPath(path) === LIST_OF_ALL;
}

/** Entry documents, the list of all, and the page of a folder are found without a link. */
export function isFoundWithoutLink(path: string): boolean {
  const folded = foldedPath(path);
  return ENTRIES.includes(folded) || folded === LIST_OF_ALL || FOLDER_PAGE.test(folded);
}
