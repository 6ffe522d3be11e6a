// Reads documents of a space for delivery, within limits. A document that cannot be read is named with the reason and does not stop the rest.

import { AppError } from "../../kit/error.ts";
import { sizeText } from "../../kit/text/amounts.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { ListedFile } from "../files/listing-schema.ts";
import { DOCUMENT_BYTES_MAX } from "../versioned-store/document-files.ts";
import type { Omitted } from "./schema.ts";
import type { ContextSource } from "./source.ts";

export interface Document {
  readonly path: string;
  /** Null: a manual edit without a version. */
  readonly version: number | null;
  readonly hash: string;
  readonly bytes: number;
  /** Without a byte order mark; line ends are `\n`. */
  readonly text: string;
}

export async function readDocument(
  source: Pick<ContextSource, "read">,
  file: ListedFile,
): Promise<Document | Omitted> {
  const { path } = file;
  const omitted = (reason: string): Omitted => ({ path, reason });
  // Links, devices and names that cannot be documents. Nothing opens them.
  if (file.state === "refused") return omitted(file.refused?.reason ?? "cannot be a document");
  if (file.size > DOCUMENT_BYTES_MAX) return omitted(`larger than ${sizeText(DOCUMENT_BYTES_MAX)}`);
  try {
    const { version, bytes } = await source.read(path);
    if (bytes.length > DOCUMENT_BYTES_MAX) return omitted(`larger than ${sizeText(DOCUMENT_BYTES_MAX)}`);
    const text = decodeUtf8(bytes);
    if (text === undefined || text.includes("\0")) return omitted("not UTF-8 text");
    const shown = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
    return { path, version, hash: sha256Hex(bytes), bytes: bytes.length, text: shown };
  } catch (error) {
    if (!(error instanceof AppError) || STOPS.has(error.code)) throw error;
    return omitted(error.message);
  }
}

/** Failures of the space, not of one document. */
const STOPS: ReadonlySet<string> = new Set(["unauthenticated", "unavailable", "rate_limited", "internal"]);

export function isRead(one: Document | Omitted): one is Document {
  return "text" in one;
}
