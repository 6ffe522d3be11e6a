// What is read out of a document in the transaction that writes it: its links and its front matter. The text index follows later (words.ts).

import { decodeUtf8 } from "../../../kit/utf8.ts";
import { frontMatterOf } from "../front-matter.ts";
import { linksOf } from "../links.ts";
import type { SpaceStore } from "./store.ts";

/** Larger ones are data, not documents. */
export const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;
const DOCUMENT = /\.(?:md|markdown|mdx|txt)$/i;

export function isDocument(path: string, bytes: Uint8Array): boolean {
  return DOCUMENT.test(path) && bytes.length <= DOCUMENT_BYTES_MAX;
}

/** Inside the transaction; `content` undefined: the file was deleted. */
export function indexDocument(
  store: SpaceStore,
  fileId: number,
  path: string,
  content: Uint8Array | undefined,
): void {
  store.dropLinks.run(fileId);
  const text = content && isDocument(path, content) ? decodeUtf8(content) : undefined;
  const fields = text === undefined ? undefined : frontMatterOf(text);
  if (fields) store.setFrontMatter.run(fileId, JSON.stringify(fields));
  else store.dropFrontMatter.run(fileId);
  if (text === undefined) return;
  for (const [position, { line, kind, target }] of linksOf(text).entries())
    store.insertLink.run(fileId, position, line, kind, target);
}
