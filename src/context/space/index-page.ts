// Writes the index of a local space again: the page that lists every document with its title.

import { AppError } from "../../kit/error.ts";
import { INDEX_PATH, indexText, titleOf, type IndexedDocument } from "../spaces/space-index.ts";
import type { SpaceDoor } from "./door.ts";

/** A title comes early; the rest of a long document is not decoded. */
const TITLE_BYTES_MAX = 64 * 1024;

interface IndexPage {
  readonly path: string;
  /** The version that is live now. */
  readonly version: number;
  readonly changed: boolean;
  readonly documents: number;
}

/**
 * Lists what is on disk, recorded or not. An edit of the page by hand stays in its history. Raises `conflict` if the page has no version, since
 * then someone else wrote it.
 */
export async function writeIndexPage(space: SpaceDoor): Promise<IndexPage> {
  const files = await space.list();
  const page = files.find(({ path }) => path === INDEX_PATH);
  if (page && page.version === null)
    throw new AppError(
      "conflict",
      `${INDEX_PATH} has no version, so cairn did not write it; rename it, or record it with cairn space adopt`,
    );
  const documents: IndexedDocument[] = [];
  for (const { path, state } of files)
    if (path !== INDEX_PATH && state !== "refused" && state !== "missing")
      documents.push({ path, title: path.endsWith(".md") ? await titleAt(space, path) : undefined });
  const text = new TextEncoder().encode(indexText(documents));
  const same = page?.state === "live" && Buffer.from((await space.read(INDEX_PATH)).bytes).equals(text);
  const version = same
    ? page.version!
    : (await space.write(INDEX_PATH, text, page ? undefined : null)).version;
  return { path: INDEX_PATH, version, changed: !same, documents: documents.length };
}

async function titleAt(space: SpaceDoor, path: string): Promise<string | undefined> {
  const { bytes } = await space.read(path);
  return titleOf(new TextDecoder().decode(bytes.subarray(0, TITLE_BYTES_MAX)));
}
