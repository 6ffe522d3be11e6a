// Decides which documents of a space are delivered, and in which order. Pure: the same space always gives the same choice.

import type { ListedFile } from "../files/listing-schema.ts";
import { INDEX_PATH } from "../spaces/space-index.ts";
import { isDocumentName } from "./reading.ts";
import type { SpaceFacts } from "./source.ts";

/** At the top of a space, in the order of reading. */
const ENTRIES: readonly string[] = ["context-entry.md", "readme.md", "index.md"];
const IDENTITY = "identity/";
const STALE_WEIGHT = 0.5;

export interface Choice {
  /** Delivered whole, in this order. */
  readonly whole: readonly ListedFile[];
  /** Every other document, the most important first. */
  readonly others: readonly ListedFile[];
}

/** Entry documents, the list of all, the identity, and documents of high importance. */
export function entrySet(files: readonly ListedFile[], facts: SpaceFacts): Choice {
  const isMember = ({ path }: ListedFile) =>
    path.startsWith(IDENTITY) || path === INDEX_PATH || facts.important.has(path);
  return chosen(files, facts, (file) => (isMember(file) ? memberPlace(file.path) : undefined));
}

/** Entry documents; the others are for the map. */
export function mapped(files: readonly ListedFile[], facts: SpaceFacts): Choice {
  const choice = chosen(files, facts, () => undefined);
  return { ...choice, others: choice.others.filter(({ path }) => path !== INDEX_PATH) };
}

function chosen(
  files: readonly ListedFile[],
  facts: SpaceFacts,
  placeOf: (file: ListedFile) => number | undefined,
): Choice {
  const documents = files.filter(({ path }) => isDocumentName(path));
  const placed = documents.map((file) => ({
    file,
    place: entryPlace(file.path) ?? placeOf(file) ?? Infinity,
    weight: weightOf(file.path, facts),
  }));
  placed.sort(
    (a, b) => compare(a.place, b.place) || compare(b.weight, a.weight) || compare(a.file.path, b.file.path),
  );
  const whole = placed.filter(({ place }) => place !== Infinity).map(({ file }) => file);
  return { whole, others: placed.slice(whole.length).map(({ file }) => file) };
}

function entryPlace(path: string): number | undefined {
  const place = ENTRIES.indexOf(path.toLowerCase());
  return place < 0 ? undefined : place;
}

/** Behind the entry documents: identity, documents of high importance, the list of all. */
function memberPlace(path: string): number {
  if (path.startsWith(IDENTITY)) return ENTRIES.length;
  return path === INDEX_PATH ? ENTRIES.length + 2 : ENTRIES.length + 1;
}

function weightOf(path: string, { ranks, stale }: SpaceFacts): number {
  return (ranks.get(path) ?? 0) * (stale.has(path) ? STALE_WEIGHT : 1);
}

function compare<T extends number | string>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Every document: entry documents and identity first, then by path. The list of all is left out, since an export has its own. */
export function chosenForExport(files: readonly ListedFile[], facts: SpaceFacts): readonly ListedFile[] {
  const { whole, others } = entrySet(files, facts);
  const byPath = others.toSorted((a, b) => compare(a.path, b.path));
  return [...whole, ...byPath].filter(({ path }) => path !== INDEX_PATH);
}
