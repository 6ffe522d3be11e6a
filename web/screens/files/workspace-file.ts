// A file of a workspace as a text to edit: how it is read and saved.

import type { FileContent } from "../../../src/service/files/schema.ts";
import { api, take } from "../../api/client.ts";
import type { TextDocument, TextSource } from "../../parts/document/document.ts";

/** The server's limit for editable files. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

export type FileDocument = TextDocument<FileContent>;

export function workspaceFile(workspaceId: number, path: string): TextSource<FileContent> {
  const query = { path };
  return {
    bytesMax: FILE_BYTES_MAX,
    read: () => take(api.workspaces({ id: workspaceId }).file.get({ query })),
    write: async (text, version) => {
      const headers: Record<string, string> =
        version === null ? { "if-none-match": "*" } : { "if-match": `"${version}"` };
      const file = api.workspaces({ id: workspaceId }).file;
      const saved = await take(file.put(text, { query, headers }));
      return { ...saved, content: text };
    },
  };
}
