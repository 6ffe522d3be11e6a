// Documents of the space over the API: texts to edit, single versions, histories, and what changes them.

import type { ContextDocument, DocumentHistory, SavedDocument } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery, type Query, refresh } from "../../api/query.ts";
import type { SavedText, TextSource } from "../../parts/document/document.ts";

/** The server's limit. */
const DOCUMENT_BYTES_MAX = 256 * 1024;
const VERSIONS_PER_PAGE = 50;
/** Stands for the version of an edit by hand, which has none yet. */
const BY_HAND = "by hand";

export interface SpaceText extends SavedText {
  /** Null: edited by hand, outside of the service, and not recorded yet. */
  readonly number: number | null;
}

export function documentAddress(path: string): string {
  return `/context?path=${encodeURIComponent(path)}`;
}

export function spaceDocument(path: string): TextSource<SpaceText> {
  const query = { path };
  return {
    bytesMax: DOCUMENT_BYTES_MAX,
    read: async () => textOf(await take(api.context.file.get({ query }))),
    write: async (text, version) => {
      const headers = preconditionOf(version);
      // Also after a refusal: the list names who wrote the other version.
      const { version: number } = await take(api.context.file.put(text, { query, headers })).finally(
        () => void refresh("context"),
      );
      return textOf({ path, version: number, state: "live", text });
    },
  };
}

function textOf({ version, text }: ContextDocument): SpaceText {
  return {
    version: version === null ? BY_HAND : String(version),
    number: version,
    content: text,
    size: new Blob([text]).size,
    read_only: false,
  };
}

/** An edit by hand becomes a version of its own before the next one, so saving over it loses nothing. */
function preconditionOf(version: string | null): Record<string, string> {
  if (version === null) return { "if-none-match": "*" };
  return version === BY_HAND ? {} : { "if-match": `"${version}"` };
}

/** The text of one version, which never changes. Undefined `version`: nothing is read. */
export function versionQuery(path: string, version: () => number | undefined): Query<string> {
  return createQuery(() => {
    const wanted = version();
    return wanted === undefined
      ? undefined
      : {
          key: ["context version", path, wanted],
          read: async () => (await take(api.context.file.get({ query: { path, version: wanted } }))).text,
        };
  });
}

/** The newest first. */
export function readHistory(path: string, before?: number): Promise<DocumentHistory> {
  const query = { path, limit: VERSIONS_PER_PAGE, ...(before === undefined ? {} : { before }) };
  return take(api.context.history.get({ query }));
}

/** Deletes if `version` is live; null: whatever is there. Raises `Problem` with `stale`. */
export async function removeDocument(path: string, version: number | null): Promise<void> {
  const headers = version === null ? {} : { "if-match": `"${version}"` };
  // The client has a parameter for a body that no DELETE of ours has.
  await take(api.context.file.delete(undefined as never, { query: { path }, headers }));
  await refresh("context");
}

/** Without `version`: undeletes. `current` is the live version; null: the document is deleted. */
export async function restoreDocument(
  path: string,
  version?: number,
  current?: number | null,
): Promise<SavedDocument> {
  const body = {
    path,
    ...(version === undefined ? {} : { version }),
    ...(current === undefined ? {} : { expected_version: current }),
  };
  try {
    return await take(api.context.restore.post(body));
  } finally {
    await refresh("context");
  }
}
