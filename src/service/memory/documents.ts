// Documents of the space as the API shows them: texts of a bounded size, and their versions page by page.

import type { ListedFile, SpaceDoor } from "../../context/library.ts";
import { AppError } from "../../kit/error.ts";
import { LIST_DEFAULT } from "../../kit/schema.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { Recalled } from "./recall.ts";
import {
  MEMORY_DOCUMENT_BYTES_MAX,
  type ContextDocument,
  type ContextFile,
  type ContextHit,
  type DocumentHistory,
} from "./schema.ts";

/** Without `version`, reads what is live now. Raises `not_found`, `too_large` and `not_text`. */
export async function readDocument(
  space: SpaceDoor,
  path: string,
  version?: number,
): Promise<ContextDocument> {
  const found = await space.read(path, version);
  if (found.bytes.length > MEMORY_DOCUMENT_BYTES_MAX)
    throw new AppError("too_large", `${path}: larger than ${MEMORY_DOCUMENT_BYTES_MAX} bytes`);
  const text = decodeUtf8(found.bytes);
  if (text === undefined) throw new AppError("not_text", `${path}: not UTF-8 text`);
  return { path, version: found.version, state: found.state, text };
}

/** Cuts a page out of the versions, the newest first. */
export function historyPage(
  { path, current, versions }: Awaited<ReturnType<SpaceDoor["history"]>>,
  {
    before,
    limit = LIST_DEFAULT,
  }: { readonly before?: number | undefined; readonly limit?: number | undefined },
): DocumentHistory {
  const start = before === undefined ? 0 : versions.findIndex(({ version }) => version < before);
  const page = start < 0 ? [] : versions.slice(start, start + limit);
  return {
    path,
    current,
    versions: page.map(({ version, created_at, author, message, size, hash, destroyed, pruned }) => ({
      version,
      created_at,
      author,
      message: message ?? null,
      size,
      hash,
      content: !destroyed && !pruned,
    })),
    more: start >= 0 && start + limit < versions.length,
  };
}

export function toFile({ path, version, size, hash, updated_at, author, state }: ListedFile): ContextFile {
  return { path, version, size, hash, updated_at, author, state };
}

export function toHit({ file, words, lines }: Recalled): ContextHit {
  const { path, version, updated_at, author } = file;
  return { path, version, updated_at, author, words: [...words], lines: [...lines] };
}
