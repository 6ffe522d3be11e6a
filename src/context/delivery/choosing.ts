// Decides which documents of a space are delivered, and in which order. Pure: the same space always gives the same choice.

import type { ListedFile } from "../files/listing-schema.ts";
import { entryPlace, isListOfAll } from "../graph/entry-documents.ts";
import { inOrderOfWeight } from "../graph/rank.ts";
import { isDocumentPath } from "../versioned-store/document-files.ts";
import type { SpaceFacts } from "./source.ts";

const IDENTITY = "identity/";

interface Choice {
  /** Delivered whole, in this order. */
  readonly whole: readonly ListedFile[];
  /** Every other document, the most important first. */
  readonly others: readonly ListedFile[];
}

/** Entry documents, identity, documents of high importance, and the list of all. */
export function entrySet(files: readonly ListedFile[], facts: SpaceFacts): Choice {
  return chosen(files, facts, (path) => {
    if (path.startsWith(IDENTITY)) return 1;
    if (facts.important.has(path)) return 2;
    return isListOfAll(path) ? 3 : undefined;
  });
}

/** Entry documents; the others are for the map, which takes the place of the list of all. */
export function mapped(files: readonly ListedFile[], facts: SpaceFacts): Choice {
  const { whole, others } = chosen(files, facts, () => undefined);
  return { whole, others: others.filter(({ path }) => !isListOfAll(path)) };
}

/** Every document: the entry set first, then by path. The list of all is left out, since an export has its own. */
export function chosenForExport(files: readonly ListedFile[], facts: SpaceFacts): readonly ListedFile[] {
  const { whole, others } = entrySet(files, facts);
  const byPath = others.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return [...whole, ...byPath].filter(({ path }) => !isListOfAll(path));
}

/** `groupOf`: which documents are delivered whole, behind the entry documents; smaller groups first. */
function chosen(
  files: readonly ListedFile[],
  { ranks, stale }: SpaceFacts,
  groupOf: (path: string) => number | undefined,
): Choice {
  const documents = files
    .filter(({ path }) => isDocumentPath(path))
    .map((file) => ({
      file,
      path: file.path,
      rank: ranks.get(file.path) ?? 0,
      stale: stale.has(file.path),
      group: entryPlace(file.path) === undefined ? groupOf(file.path) : 0,
    }));
  const ordered = inOrderOfWeight(documents);
  const whole = ordered.flatMap(({ file, group }) => (group === undefined ? [] : [{ file, group }]));
  return {
    whole: whole.toSorted((a, b) => a.group - b.group).map(({ file }) => file),
    others: ordered.flatMap(({ file, group }) => (group === undefined ? [file] : [])),
  };
}
