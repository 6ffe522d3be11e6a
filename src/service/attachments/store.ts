// SQL of attachments. Their bytes are files (attachment-files.ts).

import type { Db } from "../../kit/storage/db.ts";
import type { AttachmentKind } from "./schema.ts";

export interface AttachmentRow {
  workspace_id: number;
  hash: string;
  name: string;
  kind: AttachmentKind;
  media_type: string;
  bytes: number;
  width: number | null;
  height: number | null;
  pages: number | null;
  text_tokens: number | null;
  created_at: number;
  used_at: number | null;
}

const ATTACHMENT = `SELECT workspace_id, hash, name, kind, media_type, bytes, width, height, pages, text_tokens, created_at, used_at
  FROM attachments`;

type NewAttachment = Omit<AttachmentRow, "used_at"> & { text: string | null };

export type AttachmentStore = ReturnType<typeof attachmentStore>;

export function attachmentStore(db: Db) {
  return {
    byHash: db.query<AttachmentRow, [number, string]>(`${ATTACHMENT} WHERE workspace_id = ? AND hash = ?`),
    textOf: db.query<{ text: string | null }, [number, string]>(
      "SELECT text FROM attachments WHERE workspace_id = ? AND hash = ?",
    ),
    bytesOf: db.query<{ bytes: number | null }, [number]>(
      "SELECT sum(bytes) AS bytes FROM attachments WHERE workspace_id = ?",
    ),
    insert: db.query<never, NewAttachment>(
      `INSERT INTO attachments (workspace_id, hash, name, kind, media_type, bytes, width, height, pages, text, text_tokens, created_at)
       VALUES ($workspace_id, $hash, $name, $kind, $media_type, $bytes, $width, $height, $pages, $text, $text_tokens, $created_at)`,
    ),
    /** An upload that is repeated is as new: it is not swept soon. */
    touch: db.query<never, [number, number, string]>(
      "UPDATE attachments SET created_at = ? WHERE workspace_id = ? AND hash = ? AND used_at IS NULL",
    ),
    use: db.query<never, [number, number, string]>(
      "UPDATE attachments SET used_at = ? WHERE workspace_id = ? AND hash = ? AND used_at IS NULL",
    ),
    unusedBefore: db.query<{ workspace_id: number; hash: string }, [number, number]>(
      "SELECT workspace_id, hash FROM attachments WHERE used_at IS NULL AND created_at < ? ORDER BY created_at LIMIT ?",
    ),
    removeUnused: db.query<never, [number, string, number]>(
      "DELETE FROM attachments WHERE workspace_id = ? AND hash = ? AND used_at IS NULL AND created_at < ?",
    ),
  };
}
