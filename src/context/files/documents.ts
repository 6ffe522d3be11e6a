// Reads many documents at once, for prompts and other readers that need whole texts: named ones, and all below some directories. A document that
// cannot be read says why and does not stop the others. A reader that names the version it has does not get its text again.

import { Type, type Static } from "@sinclair/typebox";
import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { sizeText } from "../../kit/text/amounts.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import { AppError } from "../../kit/error.ts";
import { closed, judgedText, nullable, Time } from "../../kit/schema.ts";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { Caller } from "../identity/caller.ts";
import { fileError } from "../versioned-store/file-error.ts";
import { Head, Version, type FileRecord } from "../versioned-store/schema.ts";
import type { ListedFile } from "./listing-schema.ts";

/** The rules of files, as far as this needs them. */
interface Reader {
  list(caller: Caller, space: string, query: { prefix: string }): Promise<ListedFile[]>;
  record(caller: Caller, space: string, path: string): Promise<FileRecord>;
  read(
    caller: Caller,
    space: string,
    path: string,
  ): Promise<{ readonly path: string; readonly version?: number; readonly bytes: Uint8Array }>;
}

/** Paths and prefixes of one request. */
export const NAMES_MAX = 1_000;
/** More documents below a prefix are counted, not returned. */
const DOCUMENTS_MAX = 2_000;
/** A larger document is not read together with others. */
export const TOGETHER_BYTES_MAX = 256 * 1024;
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

const Path = judgedText({ maxLength: PATH_BYTES_MAX });

export const DocumentsQuery = closed({
  paths: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: NAMES_MAX,
      description: "documents; one that cannot be read comes back in `unread` with the reason",
    }),
  ),
  prefixes: Type.Optional(Type.Array(Path, { maxItems: NAMES_MAX, description: "directories" })),
  known: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "path → hash of the text that the caller has; such a document comes without its text",
    }),
  ),
});
export type DocumentsQuery = Static<typeof DocumentsQuery>;

const ReadDocument = closed({
  path: Type.String(),
  version: nullable(Version),
  hash: Type.String({ description: "SHA-256 of the bytes, hex" }),
  updated_at: nullable(Time),
  author: nullable(Type.String()),
  text: Type.Optional(Type.String({ description: "absent if the caller has it" })),
});
const UnreadDocument = closed({
  path: Type.String(),
  problem: closed({ code: Type.String(), message: Type.String() }),
});
export const DocumentsAnswer = closed({
  head: Head,
  documents: Type.Array(ReadDocument, { description: "sorted by path" }),
  unread: Type.Array(UnreadDocument),
  omitted: Type.Integer({ description: "documents left out because the answer would be too large" }),
});
export type ReadDocument = Static<typeof ReadDocument>;
export type UnreadDocument = Static<typeof UnreadDocument>;
export type DocumentsAnswer = Static<typeof DocumentsAnswer>;

/** Raises as `Files.list` does; a document that cannot be read is in `unread`. */
export async function documentsOf(
  files: Reader,
  caller: Caller,
  space: string,
  { paths = [], prefixes = [], known = {} }: DocumentsQuery,
): Promise<Omit<DocumentsAnswer, "head">> {
  const documents: ReadDocument[] = [];
  const unread: UnreadDocument[] = [];
  let bytes = 0;
  let omitted = 0;
  const listed = await recordsBelow(files, caller, space, prefixes);
  const stretch = new Stretch();
  for (const path of [...new Set([...paths, ...listed.keys()])].sort()) {
    if (documents.length >= DOCUMENTS_MAX || bytes >= ANSWER_BYTES_MAX) {
      omitted += 1;
      continue;
    }
    try {
      const recordOf = () => (known[path] === undefined ? undefined : files.record(caller, space, path));
      const record = listed.get(path) ?? (await recordOf());
      const document = await documentAt({ files, caller, space, path, known: known[path], record });
      bytes += Buffer.byteLength(document.text ?? "");
      documents.push(document);
      if (document.text !== undefined || stretch.isOver()) await turnOfOthers();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unread.push({ path, problem: { code: error.code, message: error.message } });
      if (stretch.isOver()) await turnOfOthers();
    }
  }
  return { documents, unread, omitted };
}

async function recordsBelow(files: Reader, caller: Caller, space: string, prefixes: readonly string[]) {
  const found = new Map<string, ListedFile>();
  for (const prefix of new Set(prefixes))
    for (const file of await files.list(caller, space, { prefix }))
      if (file.state === "live" || file.state === "modified" || file.state === "untracked")
        found.set(file.path, file);
  return found;
}

interface WantedDocument {
  readonly files: Reader;
  readonly caller: Caller;
  readonly space: string;
  readonly path: string;
  /** The hash of the content that the caller has. */
  readonly known: string | undefined;
  readonly record: FileRecord | undefined;
}

async function documentAt(wanted: WantedDocument): Promise<ReadDocument> {
  const { files, caller, space, path, known, record } = wanted;
  const about = { updated_at: record?.updated_at ?? null, author: record?.author ?? null };
  // A hash without a version is that of a manual edit, which may change again while it is read.
  if (record?.state === "live" && known === record.hash)
    return { path: record.path, version: record.version, hash: record.hash, ...about };
  const content = await files.read(caller, space, path);
  if (content.bytes.length > TOGETHER_BYTES_MAX)
    throw fileError("too_large", content.path, `larger than ${sizeText(TOGETHER_BYTES_MAX)}`);
  const text = decodeUtf8(content.bytes);
  if (text === undefined) throw fileError("not_text", content.path, "not UTF-8 text");
  const hash = sha256Hex(content.bytes);
  const read = { path: content.path, version: content.version ?? null, hash, ...about };
  return known === hash ? read : { ...read, text };
}
