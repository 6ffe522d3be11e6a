// Derives links and front matter from a document before it is written, and stores them in the same transaction. The text index follows later
// (words.ts).

import { decodeUtf8 } from "../../../kit/text/utf8.ts";
import { DOCUMENT_BYTES_MAX, isDocumentPath } from "../document-files.ts";
import { readFrontMatter, type FrontMatter, type FrontMatterProblem } from "../front-matter.ts";
import { linksOf } from "../links.ts";
import { packedLinks } from "./link-lists.ts";
import type { SpaceStore } from "./store.ts";

function isDocument(path: string, bytes: Uint8Array): boolean {
  return isDocumentPath(path) && bytes.length <= DOCUMENT_BYTES_MAX;
}

export interface Derived {
  /** Of the front matter, or why it cannot be read. */
  readonly fields: FrontMatter | FrontMatterProblem | undefined;
  readonly links: ReturnType<typeof linksOf>;
}

/** Undefined: nothing to store. */
export function derivedOf(path: string, content: Uint8Array): Derived | undefined {
  const text = isDocument(path, content) ? decodeUtf8(content) : undefined;
  if (text === undefined) return undefined;
  const derived = { fields: fieldsOf(text), links: linksOf(text) };
  return derived.fields || derived.links.length > 0 ? derived : undefined;
}

function fieldsOf(text: string): Derived["fields"] {
  const reading = readFrontMatter(text);
  if (!reading) return undefined;
  if ("problem" in reading) return reading.problem;
  return reading.from < reading.to ? reading.fields : undefined;
}

/** Runs inside the transaction. `had`: an earlier version left rows. */
export function keepDerived(
  store: SpaceStore,
  fileId: number,
  had: boolean,
  derived: Derived | undefined,
): void {
  if (had) {
    store.dropLinks.run(fileId);
    store.dropFrontMatter.run(fileId);
  }
  if (!derived) return;
  const { fields, links } = derived;
  if (fields) store.insertFrontMatter.run(fileId, JSON.stringify(fields));
  if (links.length > 0) store.insertLinks.run(fileId, links.length, packedLinks(links));
}
